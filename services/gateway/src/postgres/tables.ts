/** The read model's tables, as far as handlers write them. The migration gives them their constraints and indexes. */
import { table } from './table.ts';

export const problems = table(
  'problem',
  {
    problem_id: 'text',
    state: 'text',
    version: 'integer',
    stage: 'text',
    reason: 'text',
    held_out: 'boolean',
    incoming: 'jsonb',
    changed_at: 'timestamptz',
  },
  ['problem_id'],
);

export const stageStatuses = table(
  'stage_status',
  {
    problem_id: 'text',
    stage: 'smallint',
    version: 'integer',
    outcome: 'smallint',
    reason: 'text',
    message: 'text',
    evidence: 'jsonb',
    decided_at: 'timestamptz',
  },
  ['problem_id', 'stage'],
);

export const withdrawals = table(
  'withdrawal',
  {
    problem_id: 'text',
    stage: 'smallint',
    version: 'integer',
    reason: 'text',
    evidence: 'jsonb',
    successor_id: 'text',
    taken_back: 'boolean',
    withdrawn_at: 'timestamptz',
  },
  ['problem_id', 'stage'],
);

export const normalizedProblems = table(
  'problem_normalized',
  {
    problem_id: 'text',
    version: 'integer',
    notes: 'jsonb',
    statement_sha256: 'text',
    identity_sha256: 'text',
    content: 'jsonb',
  },
  ['problem_id'],
);

export const uniqueProblems = table(
  'problem_unique',
  {
    problem_id: 'text',
    version: 'integer',
    cluster_id: 'text',
    founder_id: 'text',
    split: 'smallint',
    cluster_size: 'integer',
    equal_statements: 'jsonb',
    checked_benchmarks: 'jsonb',
  },
  ['problem_id'],
);

export const verifiedProblems = table(
  'problem_verified',
  {
    problem_id: 'text',
    version: 'integer',
    split: 'smallint',
    suite_hash: 'text',
    test_count: 'integer',
    shares_process: 'boolean',
    judge_version: 'text',
    reference_runs: 'jsonb',
  },
  ['problem_id'],
);

export const scoredProblems = table(
  'problem_scored',
  {
    problem_id: 'text',
    version: 'integer',
    suite_hash: 'text',
    score: 'double precision',
    dimensions: 'jsonb',
    features: 'jsonb',
    predictor: 'jsonb',
    assessments: 'integer',
  },
  ['problem_id'],
);

export const suiteChanges = table(
  'suite_change',
  {
    problem_id: 'text',
    version: 'integer',
    old_suite_hash: 'text',
    new_suite_hash: 'text',
    reason: 'text',
    changed_at: 'timestamptz',
  },
  ['problem_id'],
);

export const deadLetters = table(
  'dead_letter',
  {
    dlq_topic: 'text',
    dlq_partition: 'integer',
    dlq_offset: 'bigint',
    topic: 'text',
    service: 'text',
    problem_id: 'text',
    version: 'integer',
    source_file: 'text',
    source_record: 'bigint',
    event_id: 'text',
    replays: 'integer',
    error_code: 'text',
    error_message: 'text',
    attempts: 'integer',
    dead_lettered_at: 'timestamptz',
  },
  ['dlq_topic', 'dlq_partition', 'dlq_offset'],
);

export const panelMembers = table(
  'panel_member',
  { target: 'text', problem_id: 'text', version: 'integer', stratum: 'integer', drawing: 'integer' },
  ['target', 'problem_id'],
);

export const difficulties = table(
  'difficulty',
  {
    target: 'text',
    problem_id: 'text',
    version: 'integer',
    target_version: 'integer',
    suite_hash: 'text',
    alpha: 'double precision',
    beta: 'double precision',
    mean: 'double precision',
    pass_interval: 'jsonb',
    attempts: 'integer',
    passes: 'integer',
    truncated: 'integer',
    environment_failures: 'integer',
    bin: 'smallint',
    previous_bin: 'smallint',
    reason: 'text',
    masses: 'jsonb',
    evaluation: 'bigint',
    calibration_version: 'integer',
    checkpoint: 'text',
    estimated_at: 'timestamptz',
  },
  ['target', 'problem_id'],
);

export const binMoves = table(
  'bin_move',
  {
    target: 'text',
    evaluation: 'bigint',
    problem_id: 'text',
    from_bin: 'smallint',
    to_bin: 'smallint',
    reason: 'text',
    moved_at: 'timestamptz',
  },
  ['target', 'evaluation', 'problem_id'],
);

export const evaluations = table(
  'evaluation',
  { target: 'text', number: 'bigint', record: 'jsonb', evaluated_at: 'timestamptz' },
  ['target', 'number'],
);

export const calibrations = table('calibration', { target: 'text', version: 'integer', record: 'jsonb' }, [
  'target',
  'version',
]);

export const heldoutEvaluations = table(
  'heldout_evaluation',
  { event_id: 'text', target: 'text', record: 'jsonb', evaluated_at: 'timestamptz' },
  ['event_id'],
);

export const gradedGroups = table(
  'graded_group',
  {
    target: 'text',
    problem_id: 'text',
    group_id: 'text',
    suite_hash: 'text',
    version: 'integer',
    target_version: 'integer',
    checkpoint: 'text',
    purpose: 'smallint',
    submitter: 'text',
    judge_version: 'text',
    graded_by_submitter: 'boolean',
    held_out: 'boolean',
    lease_id: 'text',
    verdicts: 'jsonb',
    truncated: 'integer',
    counted: 'boolean',
    refused: 'boolean',
    graded_at: 'timestamptz',
  },
  ['target', 'problem_id', 'group_id', 'submitter', 'suite_hash'],
);

export const curatedProblems = table(
  'curated',
  {
    target: 'text',
    problem_id: 'text',
    revision: 'bigint',
    bin: 'smallint',
    predicted: 'boolean',
    retest: 'boolean',
    value: 'double precision',
    message: 'bytea',
    published_at: 'timestamptz',
  },
  ['target', 'problem_id'],
);

export const reviews = table(
  'review',
  {
    review_id: 'text',
    problem_id: 'text',
    version: 'integer',
    stage: 'smallint',
    reason: 'text',
    evidence: 'jsonb',
    requested_at: 'timestamptz',
  },
  ['review_id'],
);
