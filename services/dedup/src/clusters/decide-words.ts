import type { SplitSide, Standing } from './decide-cluster.ts';
import { messageOf } from './message-of.ts';

/** What dedup has said of a problem so far. */
export interface Said {
  /** Version of its record on `problems.unique`; 0 when it has none. */
  readonly uniqueVersion: number;
  /** Version up to which dedup withdraws it; 0 when it does not. */
  readonly withdrawnVersion: number;
  /** The last thing said, as {@link Words.next} gave it; empty to have it said again. */
  readonly said: string;
}

/** What the representative's record will say beside the problem itself. */
export interface ClusterFacts {
  readonly founderId: string;
  readonly split: SplitSide | undefined;
  readonly size: number;
  /** Problems with an equal statement and other tests or signature. */
  readonly equalStatements: readonly string[];
}

/** What is to be published now. */
export interface Words {
  readonly unique: boolean;
  readonly status: boolean;
  /** A withdrawal up to the problem's version, or the taking back of one. */
  readonly withdrawal: 'withdraw' | 'take_back' | undefined;
  readonly next: Said;
}

/**
 * What to say of a problem that stands somewhere, given what was said: nothing twice, and a record on
 * `problems.unique` never without a withdrawal when it no longer holds.
 */
export function decideWords(version: number, standing: Standing, facts: ClusterFacts, said: Said): Words {
  if (standing.kind === 'excluded') return { unique: false, status: false, withdrawal: undefined, next: said };
  const status = statusFingerprint(version, standing, facts);
  const record = `${facts.founderId} ${facts.split} ${facts.size}`;
  const fingerprint = standing.kind === 'represents' ? `${status}${RECORD}${record}` : status;
  if (fingerprint === said.said) return { unique: false, status: false, withdrawal: undefined, next: said };
  if (standing.kind === 'represents') {
    const back = said.withdrawnVersion >= version;
    return {
      unique: true,
      status: status !== said.said.split(RECORD)[0],
      withdrawal: back ? 'take_back' : undefined,
      next: { uniqueVersion: version, withdrawnVersion: back ? 0 : said.withdrawnVersion, said: fingerprint },
    };
  }
  const leaves = said.uniqueVersion > 0;
  return {
    unique: false,
    status: true,
    withdrawal: leaves ? 'withdraw' : undefined,
    next: { ...said, withdrawnVersion: leaves ? version : said.withdrawnVersion, said: fingerprint },
  };
}

/** Separates what a status says from what its record says beyond it. */
const RECORD = '\n';

/** The words themselves, so that no status stays that would be put otherwise now. */
function statusFingerprint(version: number, standing: Standing, facts: ClusterFacts): string {
  const about = standing.kind === 'contaminated' ? `${standing.by.similarity}` : facts.equalStatements.join(',');
  return `${standing.kind} ${version} ${messageOf(standing, facts)} ${about}`;
}
