import { table } from '../../postgres/table.ts';

/** Which text of a problem it is. */
export type TextKind = 'original' | 'cleaned' | 'suite';

export const keptTexts = table(
  'kept_text',
  { problem_id: 'text', kind: 'text', version: 'integer', payload: 'bytea', details: 'jsonb' },
  ['problem_id', 'kind'],
);

export const keptAttempts = table(
  'kept_attempts',
  {
    target: 'text',
    problem_id: 'text',
    group_id: 'text',
    suite_hash: 'text',
    version: 'integer',
    checkpoint: 'text',
    purpose: 'smallint',
    submitter: 'text',
    judge_version: 'text',
    attempts: 'jsonb',
    graded_at: 'timestamptz',
  },
  ['target', 'problem_id', 'group_id', 'submitter', 'suite_hash'],
);

export const difficultyPoints = table(
  'difficulty_point',
  {
    target: 'text',
    problem_id: 'text',
    evaluation: 'bigint',
    alpha: 'double precision',
    beta: 'double precision',
    mean: 'double precision',
    pass_interval: 'jsonb',
    attempts: 'integer',
    passes: 'integer',
    bin: 'smallint',
    reason: 'text',
    checkpoint: 'text',
    estimated_at: 'timestamptz',
  },
  ['target', 'problem_id', 'evaluation'],
);
