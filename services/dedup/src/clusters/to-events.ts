import { create, fromBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Evidence,
  EvidenceSchema,
  ProblemNormalizedSchema,
  type ProblemStatus,
  ProblemStatusSchema,
  type ProblemUnique,
  ProblemUniqueSchema,
  type ProblemWithdrawn,
  ProblemWithdrawnSchema,
  Split,
  Stage,
  StageOutcome,
} from '@tidemark/proto';
import type { Standing } from './decide-cluster.ts';
import type { ClusterFacts } from './decide-words.ts';
import { messageOf } from './message-of.ts';

/** @param normalized the serialised `ProblemNormalized` */
export function toUnique(
  normalized: Uint8Array,
  facts: ClusterFacts,
  checkedBenchmarks: Readonly<Record<string, number>>,
): ProblemUnique {
  const problem = fromBinary(ProblemNormalizedSchema, normalized);
  return create(ProblemUniqueSchema, {
    problemId: problem.problemId,
    version: problem.version,
    ...(problem.origin === undefined ? {} : { origin: problem.origin }),
    ...(problem.content === undefined ? {} : { content: problem.content }),
    ...(problem.ingestedAt === undefined ? {} : { ingestedAt: problem.ingestedAt }),
    clusterId: facts.founderId,
    founderId: facts.founderId,
    split: facts.split === 'held_out' ? Split.HELD_OUT : Split.TRAIN,
    clusterSize: facts.size,
    equalStatements: [...facts.equalStatements],
    checkedBenchmarks: { ...checkedBenchmarks },
  });
}

export function toStatus(
  problemId: string,
  version: number,
  standing: Standing,
  facts: ClusterFacts,
  nowMs: number,
): ProblemStatus {
  const passed = standing.kind === 'represents';
  return create(ProblemStatusSchema, {
    problemId,
    version,
    stage: Stage.DEDUP,
    outcome: passed ? StageOutcome.PASSED : StageOutcome.REJECTED,
    reason: reasonOf(standing),
    message: messageOf(standing, facts),
    evidence: evidenceOf(standing, facts),
    decidedAt: timestampFromMs(nowMs),
  });
}

export function toWithdrawn(
  problemId: string,
  version: number,
  standing: Standing,
  facts: ClusterFacts,
  takenBack: boolean,
  nowMs: number,
): ProblemWithdrawn {
  return create(ProblemWithdrawnSchema, {
    problemId,
    version,
    stage: Stage.DEDUP,
    reason: takenBack ? 'represents_again' : reasonOf(standing),
    evidence: takenBack ? [] : evidenceOf(standing, facts),
    successorId: standing.kind === 'duplicate' ? standing.of : '',
    withdrawnAt: timestampFromMs(nowMs),
    takenBack,
  });
}

function reasonOf(standing: Standing): string {
  if (standing.kind === 'duplicate') return 'exact_duplicate';
  return standing.kind === 'contaminated' ? 'contaminated' : '';
}

function evidenceOf(standing: Standing, facts: ClusterFacts): Evidence[] {
  switch (standing.kind) {
    case 'represents':
      return facts.equalStatements.map((subjectId) => create(EvidenceSchema, { kind: 'equal_statement', subjectId }));
    case 'duplicate':
      return [create(EvidenceSchema, { kind: 'duplicate_of', subjectId: standing.of })];
    case 'contaminated':
      return [
        create(EvidenceSchema, {
          kind: 'benchmark_overlap',
          subjectId: `${standing.by.benchmark}/${standing.by.itemId}`,
          text: 'share of common 16-grams',
          value: standing.by.similarity,
        }),
      ];
    case 'excluded':
      return [];
  }
}
