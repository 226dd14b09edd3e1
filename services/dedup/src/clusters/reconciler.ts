import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type Cause, InjectConfig, type StageTransaction } from '@tidemark/stage-runtime';
import type { DedupConfig } from '../dedup.config.ts';
import {
  type LoadedCluster,
  type LoadedMember,
  loadClusters,
  loadNormalized,
  lockClusters,
  saveSaid,
  saveSplits,
} from '../postgres/clusters.ts';
import type { Place } from '../postgres/problems.ts';
import { loadIdentitiesOf, loadStatements, saveStatements } from '../postgres/statements.ts';
import { decideCluster, type SplitSide, type Standing } from './decide-cluster.ts';
import { type ClusterFacts, decideWords, type Said, type Words } from './decide-words.ts';
import { toStatus, toUnique, toWithdrawn } from './to-events.ts';

/** Problems with an equal statement that a record names at most. */
const EQUAL_STATEMENTS = 20;

/** A member about which something is to be said. */
interface Change {
  readonly cause: Cause;
  readonly member: LoadedMember;
  readonly standing: Standing;
  readonly facts: ClusterFacts;
  readonly words: Words;
}

/** A cluster in which something changed, and by what. */
export interface Touched extends Place {
  readonly cause: Cause;
}

/** Brings what was said of clusters in line with what is the case: whoever changed a member calls it. */
@Injectable()
export class Reconciler {
  constructor(@InjectConfig() private readonly config: DedupConfig) {}

  /**
   * Clusters of one statement share their side and name each other: where that changed, all of them are looked at.
   *
   * @param touched statements and clusters that the caller has locked
   */
  async reconcile(tx: StageTransaction, touched: readonly Touched[]): Promise<void> {
    if (touched.length === 0) return;
    const causes = new Map(touched.map(({ identity, cause }) => [identity, cause]).reverse() as [string, Cause][]);
    const causesOf = new Map(touched.map(({ statement, cause }) => [statement, cause]).reverse() as [string, Cause][]);
    const statements = await loadStatements(tx, causesOf.keys(), EQUAL_STATEMENTS + 1);
    const clusters = await loadClusters(tx, causes.keys());
    const splits = new Map([...statements.values()].map((one) => [one.statementSha256, one.split]));
    for (const { statementSha256, members } of clusters) {
      const { split } = decideCluster(members, statementSha256, splits.get(statementSha256), this.config);
      splits.set(statementSha256, split);
    }
    const changed = [...statements.values()].filter(
      (one) => one.headsChanged || one.split !== splits.get(one.statementSha256),
    );
    const others = await loadIdentitiesOf(
      tx,
      changed.map((one) => one.statementSha256),
    );
    for (const identity of causes.keys()) others.delete(identity);
    // Their statements are locked: nobody else of this release holds one of them.
    await lockClusters(tx, others.keys());
    clusters.push(...(await loadClusters(tx, others.keys())));
    const changes: Change[] = [];
    for (const cluster of clusters) {
      const cause = causes.get(cluster.identity) ?? causesOf.get(cluster.statementSha256);
      if (cause === undefined) continue;
      const { statementSha256 } = cluster;
      const decision = decideCluster(cluster.members, statementSha256, splits.get(statementSha256), this.config);
      const equal = (statements.get(statementSha256)?.heads ?? [])
        .filter((head) => head.identity !== cluster.identity)
        .slice(0, EQUAL_STATEMENTS)
        .map((head) => head.problemId);
      changes.push(...changesOf(cluster, decision, cause, equal));
    }
    await publish(tx, changes);
    await saveStatements(
      tx,
      changed.map(({ statementSha256, heads }) => ({ statementSha256, heads, split: splits.get(statementSha256) })),
    );
    await saveSplits(tx, sidesOf(clusters, splits));
    await saveSaid(tx, saidNow(changes));
  }
}

function sidesOf(
  clusters: readonly LoadedCluster[],
  splits: ReadonlyMap<string, SplitSide | undefined>,
): Map<string, SplitSide> {
  return new Map(
    clusters.flatMap(({ identity, statementSha256 }): [string, SplitSide][] => {
      const split = splits.get(statementSha256);
      return split === undefined ? [] : [[identity, split]];
    }),
  );
}

function* changesOf(
  cluster: LoadedCluster,
  { founderId, split, standings }: ReturnType<typeof decideCluster>,
  cause: Cause,
  equalStatements: readonly string[],
): Generator<Change> {
  for (const member of cluster.members) {
    const standing = standings.get(member.problemId) ?? { kind: 'excluded' };
    const facts: ClusterFacts = {
      founderId,
      split,
      size: cluster.members.length,
      equalStatements: standing.kind === 'represents' ? equalStatements : [],
    };
    const words = decideWords(member.version, standing, facts, member);
    if (words.next !== (member as Said)) yield { cause, member, standing, facts, words };
  }
}

async function publish(tx: StageTransaction, changes: readonly Change[]): Promise<void> {
  const unique = changes.filter((change) => change.words.unique).map((change) => change.member.problemId);
  const normalized = await loadNormalized(tx, unique);
  const nowMs = Date.now();
  for (const { cause, member, standing, facts, words } of changes) {
    const { problemId, version } = member;
    if (words.withdrawal !== undefined) {
      const takenBack = words.withdrawal === 'take_back';
      const upTo = takenBack ? member.withdrawnVersion : version;
      tx.publish(cause, topics.problemsWithdrawn, toWithdrawn(problemId, upTo, standing, facts, takenBack, nowMs));
    }
    const bytes = normalized.get(problemId);
    if (words.unique && bytes !== undefined) {
      tx.publish(cause, topics.problemsUnique, toUnique(bytes, facts, member.checkedBenchmarks));
    }
    if (words.status) {
      tx.publish(cause, topics.problemsStatus, toStatus(problemId, version, standing, facts, nowMs));
    }
  }
}

function saidNow(changes: readonly Change[]): Map<string, Said & { asTrain: boolean }> {
  return new Map(
    changes.map(({ member, words, facts }) => [
      member.problemId,
      { ...words.next, asTrain: words.unique && facts.split === 'train' },
    ]),
  );
}
