import type { Normalization } from './decide-normalization.ts';

/** How far a problem has come here. */
export interface KnownProblem {
  /** Newest version that was handled; lower ones are ignored. */
  readonly version: number;
  /** Newest version that went on; 0 when none did. */
  readonly passedVersion: number;
  /** Version up to which normalize withdraws it; 0 when it does not. */
  readonly withdrawnVersion: number;
}

export const UNKNOWN: KnownProblem = { version: 0, passedVersion: 0, withdrawnVersion: 0 };

export interface Progress {
  /** A rejected version takes those along that had gone on; the withdrawal of one that passes now is taken back. */
  readonly withdrawal: { readonly kind: 'withdraw' | 'take_back'; readonly upTo: number } | undefined;
  readonly next: KnownProblem;
}

/** What a decision about a version, the newest or a newer one, means for what went on before it. */
export function decideProgress(known: KnownProblem, version: number, decision: Normalization): Progress {
  if (decision.kind === 'passes') {
    const back = known.withdrawnVersion >= version;
    return {
      withdrawal: back ? { kind: 'take_back', upTo: known.withdrawnVersion } : undefined,
      next: { version, passedVersion: version, withdrawnVersion: back ? 0 : known.withdrawnVersion },
    };
  }
  const leaves = known.passedVersion > 0;
  return {
    withdrawal: leaves ? { kind: 'withdraw', upTo: version } : undefined,
    next: { ...known, version, withdrawnVersion: leaves ? version : known.withdrawnVersion },
  };
}
