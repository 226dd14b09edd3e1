import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type Cause, InjectConfig, type StageTransaction } from '@tidemark/stage-runtime';
import type { DedupConfig } from '../dedup.config.ts';
import { loadCheckedVersions } from '../postgres/benchmarks.ts';
import {
  type LoadedCluster,
  type LoadedMember,
  loadClusters,
  loadEqualStatements,
  loadNormalized,
  saveSaid,
  saveSplits,
} from '../postgres/clusters.ts';
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

/** Brings what was said of clusters in line with what is the case: whoever changed a member calls it. */
@Injectable()
export class Reconciler {
  constructor(@InjectConfig() private readonly config: DedupConfig) {}

  /** @param causes what changed each cluster, by identity; the clusters are locked by the caller */
  async reconcile(tx: StageTransaction, causes: ReadonlyMap<string, Cause>): Promise<void> {
    if (causes.size === 0) return;
    const clusters = await loadClusters(tx, causes.keys());
    const statements = clusters.flatMap((cluster) => cluster.members.map((member) => member.statementSha256));
    const equalStatements = await loadEqualStatements(tx, statements, EQUAL_STATEMENTS);
    const changes: Change[] = [];
    const splits = new Map<string, SplitSide>();
    for (const cluster of clusters) {
      const cause = causes.get(cluster.identity);
      if (cause === undefined) continue;
      const decision = decideCluster(cluster.members, cluster.split, this.config);
      if (decision.split !== undefined && decision.split !== cluster.split)
        splits.set(cluster.identity, decision.split);
      changes.push(...changesOf(cluster, decision, cause, equalStatements));
    }
    await publish(tx, changes);
    await saveSplits(tx, splits);
    await saveSaid(tx, saidNow(changes));
  }
}

function* changesOf(
  cluster: LoadedCluster,
  { founderId, split, standings }: ReturnType<typeof decideCluster>,
  cause: Cause,
  equalStatements: (statementSha256: string, identity: string) => string[],
): Generator<Change> {
  for (const member of cluster.members) {
    const standing = standings.get(member.problemId) ?? { kind: 'excluded' };
    const facts: ClusterFacts = {
      founderId,
      split,
      size: cluster.members.length,
      equalStatements: standing.kind === 'represents' ? equalStatements(member.statementSha256, cluster.identity) : [],
    };
    const words = decideWords(member.version, standing, facts, member);
    if (words.next !== (member as Said)) yield { cause, member, standing, facts, words };
  }
}

async function publish(tx: StageTransaction, changes: readonly Change[]): Promise<void> {
  const unique = changes.filter((change) => change.words.unique).map((change) => change.member.problemId);
  const normalized = await loadNormalized(tx, unique);
  const checked = await loadCheckedVersions(tx);
  const nowMs = Date.now();
  for (const { cause, member, standing, facts, words } of changes) {
    const { problemId, version } = member;
    if (words.withdrawal !== undefined) {
      const takenBack = words.withdrawal === 'take_back';
      const upTo = takenBack ? member.withdrawnVersion : version;
      tx.publish(cause, topics.problemsWithdrawn, toWithdrawn(problemId, upTo, standing, facts, takenBack, nowMs));
    }
    const bytes = normalized.get(problemId);
    if (words.unique && bytes !== undefined) tx.publish(cause, topics.problemsUnique, toUnique(bytes, facts, checked));
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
