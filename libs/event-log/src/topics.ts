import { isTargetSlug } from '@tidemark/identity';
import {
  BenchmarkChangedSchema,
  CalibrationPublishedSchema,
  CheckpointAdvancedSchema,
  CommandCompletedSchema,
  CommandRequestedSchema,
  CuratedProblemSchema,
  DifficultyEstimatedSchema,
  EvaluationRecordedSchema,
  HeldoutEvaluatedSchema,
  PanelMemberSchema,
  ProblemIntakeSchema,
  ProblemNormalizedSchema,
  ProblemRawSchema,
  ProblemScoredSchema,
  ProblemStatusSchema,
  ProblemUniqueSchema,
  ProblemVerifiedSchema,
  ProblemWithdrawnSchema,
  ReviewDecidedSchema,
  ReviewRequestedSchema,
  RolloutsGradedSchema,
  RolloutsIntakeSchema,
  RolloutsRequestedSchema,
  RolloutsSubmittedSchema,
  ServiceOrderSchema,
  Stage,
  SuiteChangedSchema,
  TargetDeclaredSchema,
} from '@tidemark/proto';
import { type ServiceName, type TopicDefinition, topic } from './topic.ts';

const problem = (message: { problemId: string }) => message.problemId;
const problemAndStage = (message: { problemId: string; stage: Stage }) =>
  `${message.problemId}:${Stage[message.stage] ?? String(message.stage)}`;
const targetAndProblem = (message: { target: string; problemId: string }) => `${message.target}:${message.problemId}`;
const groupTargetAndProblem = (message: { group?: { target: string; problemId: string } | undefined }) =>
  `${message.group?.target ?? ''}:${message.group?.problemId ?? ''}`;

/**
 * Every topic, in the order of the flow: the one list from which topics are created, documented, drawn and checked.
 * `curated.<target>.v1`, `orders.<service>.v1` and the dead letters are made by {@link curatedTopic},
 * {@link ordersTopic} and `deadLetterTopic`.
 */
export const topics = {
  problemsIntake: topic('problems.intake.v1', {
    schema: ProblemIntakeSchema,
    cleanup: 'delete',
    logAppendTime: true,
    writtenBy: ['gateway'],
    readBy: ['ingest'],
    says: 'a problem offered from outside: not trusted, any key',
  }),
  problemsRaw: topic('problems.raw.v1', {
    schema: ProblemRawSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['ingest'],
    readBy: ['normalize', 'gateway'],
    says: 'stamped: id, version, origin, submitter',
  }),
  // Its language is what the source says (docs/decisions/0013): nothing looks at the words yet.
  problemsNormalized: topic('problems.normalized.v1', {
    schema: ProblemNormalizedSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['normalize'],
    readBy: ['dedup', 'gateway'],
    says: 'clean, one explicit test form',
  }),
  problemsUnique: topic('problems.unique.v1', {
    schema: ProblemUniqueSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['dedup'],
    readBy: ['execute', 'calibrate', 'select', 'sample', 'gateway'],
    says: 'represents its near-duplicate cluster, is in no benchmark; cluster, founder, split',
  }),
  problemsVerified: topic('problems.verified.v1', {
    schema: ProblemVerifiedSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['execute'],
    readBy: ['score', 'calibrate', 'select', 'sample', 'dedup', 'gateway'],
    says: 'its reference solutions pass its tests; the suite that judges',
  }),
  problemsScored: topic('problems.scored.v1', {
    schema: ProblemScoredSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['score'],
    readBy: ['calibrate', 'select', 'gateway'],
    says: 'five dimensions, every assessment, features, weighted score, and what produced them',
  }),
  problemsStatus: topic('problems.status.v1', {
    schema: ProblemStatusSchema,
    key: problemAndStage,
    cleanup: 'compact',
    writtenBy: ['ingest', 'normalize', 'dedup', 'execute', 'score', 'calibrate', 'select', 'sample', 'gateway'],
    readBy: ['gateway', 'dedup', 'execute'],
    says: 'passed, rejected (reason code, evidence), waiting (for what), dead-lettered',
  }),
  problemsWithdrawn: topic('problems.withdrawn.v1', {
    schema: ProblemWithdrawnSchema,
    key: problemAndStage,
    cleanup: 'compact',
    writtenBy: ['ingest', 'normalize', 'dedup', 'execute', 'gateway'],
    readBy: ['ingest', 'normalize', 'dedup', 'execute', 'score', 'calibrate', 'select', 'sample', 'gateway'],
    says: 'a stage withdraws a version and those before it: reason, evidence, successor; or takes that back',
  }),
  suitesChanged: topic('suites.changed.v1', {
    schema: SuiteChangedSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['execute'],
    readBy: ['calibrate', 'gateway'],
    says: "a problem's judging tests changed: old and new suite hash",
  }),
  benchmarksChanged: topic('benchmarks.changed.v1', {
    schema: BenchmarkChangedSchema,
    key: (message) => message.benchmark,
    cleanup: 'compact',
    writtenBy: ['gateway'],
    readBy: ['dedup'],
    says: 'a benchmark set was added, replaced, removed',
  }),
  targetsDeclared: topic('targets.declared.v1', {
    schema: TargetDeclaredSchema,
    key: (message) => `${message.target}:${message.version}`,
    cleanup: 'compact',
    writtenBy: ['gateway'],
    readBy: ['ingest', 'sample', 'execute', 'calibrate', 'select'],
    says: 'a target and its settings',
  }),
  checkpointsAdvanced: topic('checkpoints.advanced.v1', {
    schema: CheckpointAdvancedSchema,
    key: (message) => `${message.target}:${message.checkpoint}`,
    cleanup: 'compact',
    writtenBy: ['gateway'],
    readBy: ['ingest', 'sample', 'calibrate', 'select'],
    says: 'a checkpoint, with its ordinal',
  }),
  panelsDrawn: topic('panels.drawn.v1', {
    schema: PanelMemberSchema,
    key: targetAndProblem,
    cleanup: 'compact',
    writtenBy: ['calibrate'],
    readBy: ['select', 'gateway'],
    says: 'members of the calibration panel, not to be curated',
  }),
  rolloutsRequested: topic('rollouts.requested.v1', {
    schema: RolloutsRequestedSchema,
    key: problem,
    cleanup: 'delete',
    writtenBy: ['calibrate'],
    readBy: ['sample'],
    says: 'n attempts wanted: target, checkpoint, problem, purpose',
  }),
  rolloutsIntake: topic('rollouts.intake.v1', {
    schema: RolloutsIntakeSchema,
    cleanup: 'delete',
    logAppendTime: true,
    writtenBy: ['gateway'],
    readBy: ['ingest'],
    says: 'rollouts from outside: not trusted',
  }),
  rolloutsSubmitted: topic('rollouts.submitted.v1', {
    schema: RolloutsSubmittedSchema,
    key: (message) => message.group?.problemId ?? '',
    cleanup: 'delete',
    writtenBy: ['sample', 'ingest', 'calibrate'],
    readBy: ['execute'],
    says: 'a group of model outputs to be graded',
  }),
  rolloutsGraded: topic('rollouts.graded.v1', {
    schema: RolloutsGradedSchema,
    key: groupTargetAndProblem,
    cleanup: 'delete',
    writtenBy: ['execute', 'ingest'],
    readBy: ['calibrate', 'select', 'gateway'],
    says: "a group's verdicts, one by one",
  }),
  calibrationsPublished: topic('calibrations.published.v1', {
    schema: CalibrationPublishedSchema,
    key: (message) => `${message.target}:${message.version}`,
    cleanup: 'compact',
    writtenBy: ['calibrate'],
    readBy: ['select', 'gateway'],
    says: 'cut-offs and curve with intervals',
  }),
  evaluationsRecorded: topic('evaluations.recorded.v1', {
    schema: EvaluationRecordedSchema,
    key: (message) => `${message.target}:${message.number}`,
    cleanup: 'delete',
    writtenBy: ['calibrate'],
    readBy: ['gateway'],
    says: 'an evaluation point: evidence cut, calibration version, what moved',
  }),
  difficultyEstimated: topic('difficulty.estimated.v1', {
    schema: DifficultyEstimatedSchema,
    key: targetAndProblem,
    cleanup: 'compact',
    writtenBy: ['calibrate'],
    readBy: ['select', 'gateway'],
    says: 'of measured problems: posterior, bin, why it moved',
  }),
  heldoutEvaluated: topic('heldout.evaluated.v1', {
    schema: HeldoutEvaluatedSchema,
    key: (message) => message.target,
    cleanup: 'delete',
    writtenBy: ['calibrate'],
    readBy: ['gateway'],
    says: "a held-out evaluation's result",
  }),
  reviewsRequested: topic('reviews.requested.v1', {
    schema: ReviewRequestedSchema,
    key: problem,
    cleanup: 'delete',
    writtenBy: ['select', 'dedup', 'normalize'],
    readBy: ['gateway'],
    says: 'a person is asked to look',
  }),
  reviewsDecided: topic('reviews.decided.v1', {
    schema: ReviewDecidedSchema,
    key: problem,
    cleanup: 'delete',
    writtenBy: ['gateway'],
    readBy: ['normalize', 'dedup', 'select'],
    says: 'a reviewer decided',
  }),
  commandsRequested: topic('commands.requested.v1', {
    schema: CommandRequestedSchema,
    key: (message) => message.commandId,
    cleanup: 'delete',
    writtenBy: ['gateway'],
    readBy: ['ingest', 'normalize', 'dedup', 'score', 'execute', 'calibrate', 'select', 'sample'],
    says: 'evaluate, measure; regrade is noted, and not done yet',
  }),
  commandsCompleted: topic('commands.completed.v1', {
    schema: CommandCompletedSchema,
    key: (message) => message.commandId,
    cleanup: 'delete',
    writtenBy: ['ingest', 'normalize', 'dedup', 'score', 'execute', 'calibrate', 'select', 'sample'],
    readBy: ['gateway', 'calibrate'],
    says: 'a command ended',
  }),
} satisfies Record<string, TopicDefinition>;

/** The working set of one target: bin, value and all a trainer needs; a tombstone leaves. Created by select. */
export function curatedTopic(targetSlug: string): TopicDefinition<typeof CuratedProblemSchema> {
  if (!isTargetSlug(targetSlug)) throw new Error(`not a target slug: ${targetSlug}`);
  return topic(`curated.${targetSlug}.v1`, {
    schema: CuratedProblemSchema,
    key: problem,
    cleanup: 'compact',
    writtenBy: ['select'],
    readBy: ['gateway'],
    says: "the target's working set; a move between bins is one record, a tombstone leaves",
  });
}

/**
 * What the gateway tells the runtime of one service: dead letters to handle again, in the order in which they lie, and
 * offsets to move. Created by the service and, before it orders something, by the gateway.
 */
export function ordersTopic(service: ServiceName): TopicDefinition<typeof ServiceOrderSchema> {
  return topic(`orders.${service}.v1`, {
    schema: ServiceOrderSchema,
    key: ({ order, commandId }) => (order.case === 'replay' ? order.value.topic : `order ${commandId}`),
    cleanup: 'delete',
    writtenBy: ['gateway'],
    readBy: [service],
    says: `what the runtime of ${service} has to do: handle dead letters again, move offsets`,
  });
}
