/** Records that wait for something that may never come: no work, so that all may be quiet meanwhile. */
export interface Waiting {
  /** What is waited for: `target`, `target_version`, `checkpoint`, `problem`, `verification` (of a problem), `language`. */
  readonly kind: string;
  /** Which one. */
  readonly name: string;
  /** How many records wait for it. */
  readonly count: number;
}

/** What a service has in hand. Everything but `deadLetters`, `waiting` and `progress` is zero when it is quiet. */
export interface Activity {
  readonly service: string;
  /** Records not yet handled, by topic. */
  readonly lag: Readonly<Record<string, number>>;
  /** Events committed and not yet in the log. */
  readonly outboxRows: number;
  /**
   * Events that the log refuses for good and that are not laid aside yet; absent when there is none. They hold up
   * nothing, and no quiet: what keeps them here stands in {@link notReady}.
   */
  readonly outboxRefused?: number;
  /** Jobs waiting, running or put off, by kind. */
  readonly openJobs: Readonly<Record<string, number>>;
  /** What the service reports by {@link ActivitySource}. */
  readonly pendingWork: Readonly<Record<string, number>>;
  /**
   * Grows with every event handled or published. Services look quiet one after the other, not at one moment: all is
   * quiet when each looks so in two rounds and none has made progress between them.
   */
  readonly progress: number;
  /** Stored offsets outside their log, as people read them: consumption of that partition stands still until a person decides. */
  readonly offsetsOutside?: readonly string[];
  /** Absent when nothing waits; those that most wait for come first, and not all of them need be named. */
  readonly waiting?: readonly Waiting[];
  /** Why the service is not ready, as people read it; absent from a replica of a release before. */
  readonly notReady?: readonly string[];
  /** Records laid into dead letters since the schema was made, by topic. */
  readonly deadLetters: Readonly<Record<string, number>>;
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** True when nothing is on its way through the service. */
export function isQuiet(activity: Activity): boolean {
  return sum(activity.lag) + activity.outboxRows + sum(activity.openJobs) + sum(activity.pendingWork) === 0;
}
