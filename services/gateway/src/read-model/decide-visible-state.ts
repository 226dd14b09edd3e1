/**
 * Every problem is in exactly one visible state: a pure function of the newest thing that each stage said about it.
 * The order in which those things arrived plays no part.
 */
import { Split, Stage, StageOutcome } from '@tidemark/proto';

/** The newest status of one stage. */
export interface StageStatus {
  readonly stage: Stage;
  readonly version: number;
  readonly outcome: StageOutcome;
  /** Stable code; empty when passed. */
  readonly reason: string;
}

/** The newest withdrawal of one stage. */
export interface Withdrawal {
  readonly stage: Stage;
  /** Versions up to this one are withdrawn. */
  readonly version: number;
  readonly reason: string;
  readonly takenBack: boolean;
}

/** All that is known of one problem apart from targets. */
export interface ProblemFacts {
  /** At most one a stage. */
  readonly statuses: readonly StageStatus[];
  /** At most one a stage. */
  readonly withdrawals: readonly Withdrawal[];
  /** Newest record on `problems.unique`. */
  readonly unique?: { readonly version: number; readonly split: Split } | undefined;
  /** Newest record on `problems.verified`. */
  readonly verified?: { readonly version: number; readonly split: Split } | undefined;
  /** Newest record on `problems.scored`. */
  readonly scored?: { readonly version: number } | undefined;
}

/** A newer version that has not replaced the one in force yet. */
export interface IncomingVersion {
  readonly version: number;
  readonly kind: 'waiting' | 'dead_lettered';
  readonly reason: string;
}

/** The one visible state. `reason` of `waiting` says for what: `stage:normalize`, or the stage's own code. */
export type VisibleState =
  | { readonly kind: 'withdrawn'; readonly version: number; readonly stage: Stage; readonly reason: string }
  | { readonly kind: 'rejected'; readonly version: number; readonly stage: Stage; readonly reason: string }
  | { readonly kind: 'dead_lettered'; readonly version: number; readonly stage: Stage; readonly reason: string }
  | { readonly kind: 'waiting'; readonly version: number; readonly stage: Stage; readonly reason: string }
  | {
      readonly kind: 'ready';
      readonly version: number;
      readonly heldOut: boolean;
      readonly incoming: IncomingVersion | undefined;
    };

/** The way that a problem takes; it is ready when the last of these has passed it. */
const WAY: readonly Stage[] = [Stage.INGEST, Stage.NORMALIZE, Stage.DEDUP, Stage.EXECUTE, Stage.SCORE];

/** Decides the visible state. Total: every combination of facts, also of a newer writer, gives one. */
export function decideVisibleState(facts: ProblemFacts): VisibleState {
  const newest = newestVersion(facts);
  const withdrawal = withdrawalOf(facts, newest);
  if (withdrawal !== undefined) return rejectionBehind(facts, withdrawal, newest) ?? withdrawn(withdrawal, newest);
  const arriving = stateOfVersion(facts, newest);
  if (arriving.kind !== 'waiting' && arriving.kind !== 'dead_lettered') return arriving;
  const inForce = versionInForce(facts, newest);
  if (inForce === undefined) return arriving;
  const incoming = { version: newest, kind: arriving.kind, reason: arriving.reason };
  return { kind: 'ready', version: inForce, heldOut: isHeldOut(facts), incoming };
}

const withdrawn = ({ stage, reason }: Withdrawal, version: number): VisibleState => ({
  kind: 'withdrawn',
  version,
  stage,
  reason,
});

/** The highest version that any stage speaks of; without any word, the highest that is withdrawn; else 0. */
function newestVersion({ statuses, withdrawals, unique, verified, scored }: ProblemFacts): number {
  const spoken = [...statuses, unique, verified, scored].filter((fact) => fact !== undefined);
  // A withdrawal may come before the problem, and may name a version that never comes.
  const speaking = spoken.length > 0 ? spoken : withdrawals.filter(({ takenBack }) => !takenBack);
  return Math.max(0, ...speaking.map(({ version }) => version));
}

/** A withdrawal in force that covers the version; of several, that of the earliest stage. */
function withdrawalOf({ withdrawals }: ProblemFacts, version: number): Withdrawal | undefined {
  return withdrawals
    .filter((withdrawal) => !withdrawal.takenBack && withdrawal.version >= version)
    .sort((left, right) => left.stage - right.stage)[0];
}

/**
 * A stage that rejects what it had let pass says both: rejected, and withdrawn. What people see must not depend on
 * whether the reason was known before the problem passed or after, so the rejection counts.
 */
function rejectionBehind(facts: ProblemFacts, { stage }: Withdrawal, version: number): VisibleState | undefined {
  const status = facts.statuses.find((candidate) => candidate.stage === stage && candidate.version === version);
  if (status?.outcome !== StageOutcome.REJECTED) return undefined;
  return { kind: 'rejected', version, stage, reason: status.reason };
}

/** Where one version stands, withdrawals aside: the earliest stage that has not let it pass decides. */
function stateOfVersion(facts: ProblemFacts, version: number): VisibleState {
  for (const stage of WAY) {
    const status = facts.statuses.find((candidate) => candidate.stage === stage && candidate.version === version);
    if (status === undefined) {
      if (passedByFact(facts, stage, version)) continue;
      return { kind: 'waiting', version, stage, reason: `stage:${Stage[stage].toLowerCase()}` };
    }
    const { outcome, reason } = status;
    if (outcome === StageOutcome.PASSED) continue;
    if (outcome === StageOutcome.REJECTED) return { kind: 'rejected', version, stage, reason };
    if (outcome === StageOutcome.DEAD_LETTERED) return { kind: 'dead_lettered', version, stage, reason };
    // An outcome of a newer writer is not known to be an end.
    return { kind: 'waiting', version, stage, reason: outcome === StageOutcome.WAITING ? reason : 'unknown_outcome' };
  }
  return laterEnd(facts, version) ?? { kind: 'ready', version, heldOut: isHeldOut(facts), incoming: undefined };
}

/**
 * Stages off the way can end a problem, and never make it wait: what one of them could not take, a status or a graded
 * group for example, is for its operator to see, and the problem goes on.
 */
function laterEnd({ statuses }: ProblemFacts, version: number): VisibleState | undefined {
  const later = statuses
    .filter((status) => status.version === version && !WAY.includes(status.stage))
    .sort((left, right) => left.stage - right.stage);
  for (const { stage, outcome, reason } of later) {
    if (outcome === StageOutcome.REJECTED) return { kind: 'rejected', version, stage, reason };
  }
  return undefined;
}

/**
 * A stage without a word on this version has let it pass all the same when its output is there, or when a later stage
 * speaks: outputs and statuses are on different topics and partitions, and overtake each other.
 */
function passedByFact(facts: ProblemFacts, stage: Stage, version: number): boolean {
  const later = WAY.slice(WAY.indexOf(stage) + 1);
  if (facts.statuses.some((status) => status.version === version && later.includes(status.stage))) return true;
  return [stage, ...later].some((candidate) => outputOf(facts, candidate)?.version === version);
}

function outputOf({ unique, verified, scored }: ProblemFacts, stage: Stage): { version: number } | undefined {
  if (stage === Stage.DEDUP) return unique;
  if (stage === Stage.EXECUTE) return verified;
  return stage === Stage.SCORE ? scored : undefined;
}

/** While a new version is on its way the old one stays in force; it leaves when the new one is verified or rejected. */
function versionInForce(facts: ProblemFacts, newest: number): number | undefined {
  const version = facts.verified?.version;
  if (version === undefined || version >= newest) return undefined;
  return withdrawalOf(facts, version) === undefined ? version : undefined;
}

/** The newest word on the side of the exam: dedup's, which changes it, before execute's, which carries it on. */
function isHeldOut({ unique, verified }: ProblemFacts): boolean {
  return (unique?.split ?? verified?.split) === Split.HELD_OUT;
}
