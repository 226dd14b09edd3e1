/** A blob that a sweep looks at; times in ms since 1970. */
export interface SweptBlob {
  /** Whether a table or a topic names it. */
  readonly named: boolean;
  readonly putAtMs: number;
  /** Since when sweeps have found no name of it; undefined when none did before. */
  readonly unnamedSinceMs: number | undefined;
}

export type Removal = 'named' | 'young' | 'noted' | 'removed';

/**
 * What becomes of a blob. One that was put within the grace may be named by an event that is not committed yet. One that
 * is older is removed only when an earlier sweep, a grace ago, found no name either: a name that wandered from a place not
 * looked at yet to one that was would have to do so in both.
 */
export function decideRemoval(blob: SweptBlob, beganAtMs: number, graceMs: number): Removal {
  if (blob.named) return 'named';
  if (blob.putAtMs >= beganAtMs - graceMs) return 'young';
  // Put again since it was noted: the note is of an earlier life.
  const since = blob.unnamedSinceMs;
  if (since === undefined || since > beganAtMs - graceMs || blob.putAtMs > since) return 'noted';
  return 'removed';
}
