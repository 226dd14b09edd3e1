import type { GroupId } from '@tidemark/identity';

/** One group of attempts, as a record states it. */
export interface RolloutRecord {
  readonly groupId: GroupId;
  readonly target: string;
  /** Undefined: the newest declared. */
  readonly targetVersion: number | undefined;
  readonly checkpoint: string;
  /** 32 hexadecimal digits, given or derived from namespace and record id. */
  readonly problemId: string;
  /** Undefined: the version in force. */
  readonly problemVersion: number | undefined;
  readonly purpose: RolloutPurpose;
  /** Empty when none. */
  readonly lease: string;
  /** 64 hexadecimal digits; empty when unknown. */
  readonly promptSha256: string;
  readonly attempts: readonly RecordAttempt[];
  /** What graded; empty when unknown. Meaningful where the attempts have verdicts. */
  readonly suiteHash: string;
  readonly judgeVersion: string;
}

export type RolloutPurpose = 'train' | 'calibrate' | 'evaluate';

export interface RecordAttempt {
  /** Undefined when the submitter sends verdicts alone. */
  readonly output: string | undefined;
  readonly promptTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** The output stopped at the token limit. */
  readonly truncated: boolean;
  readonly seed: bigint | undefined;
  readonly verdict: RecordVerdict | undefined;
}

/** Verdicts about the model, and, after `wrong_form`, those that say nothing about it. */
export const recordVerdicts = [
  'accepted',
  'wrong_answer',
  'time_limit',
  'memory_limit',
  'output_limit',
  'runtime_error',
  'compile_error',
  'no_code',
  'wrong_form',
  'sandbox_failure',
  'checker_failure',
  'machine_overloaded',
  'language_missing',
  'cancelled',
] as const;
export type RecordVerdict = (typeof recordVerdicts)[number];
