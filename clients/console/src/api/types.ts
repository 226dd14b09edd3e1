import type { StateCount, TargetCounts } from '@tidemark/http-contract';

/** What the gateway answers, as far as the console reads it: docs/http.md says what each field means. */

export type { StateCount, TargetCounts };

export const BINS = ['unsolved', 'hard', 'medium', 'easy', 'mastered'] as const;

export interface ServiceState {
  readonly service: string;
  readonly reachable: boolean;
  readonly error?: string;
  readonly quiet?: boolean;
  readonly lag?: number;
  readonly lag_by_topic?: Readonly<Record<string, number>>;
  readonly outbox?: number;
  readonly jobs?: number;
  readonly jobs_by_kind?: Readonly<Record<string, number>>;
  readonly pending?: Readonly<Record<string, number>>;
  readonly dead_letters?: number;
  readonly dead_letters_by_topic?: Readonly<Record<string, number>>;
}

export interface Status {
  readonly at: string;
  readonly quiet: boolean;
  readonly problems: number;
  readonly funnel: readonly StateCount[];
  readonly intake: {
    readonly problems_accepted?: number;
    readonly problems_refused?: number;
    readonly rollouts_accepted?: number;
    readonly rollouts_refused?: number;
  };
  readonly targets: readonly TargetCounts[];
  readonly rates_per_second: Readonly<Record<string, number>>;
  readonly services: readonly ServiceState[];
}

export interface ProblemRow {
  readonly problem_id: string;
  readonly title: string;
  readonly version: number;
  readonly state: string;
  readonly stage?: string;
  readonly reason?: string;
  readonly held_out?: boolean;
  readonly incoming?: { readonly version: number; readonly kind: string; readonly reason: string };
  readonly namespace: string;
  readonly record_id: string;
  readonly submitter: string;
  readonly source_file: string;
  readonly source_record: number;
  readonly changed_at: string;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
}

export interface EvidenceItem {
  readonly kind: string;
  readonly text: string;
  readonly subject_id?: string;
  readonly value?: number;
}

export interface StageWord {
  readonly stage: string;
  readonly outcome: string;
  readonly version: number;
  readonly reason: string;
  readonly message: string;
  readonly evidence: readonly EvidenceItem[];
  readonly decided_at: string | null;
}

export interface Move {
  readonly evaluation: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly moved_at: string | null;
}

export interface MoveRow extends Move {
  readonly problem_id: string;
  readonly title: string;
  readonly namespace: string;
  readonly record_id: string;
}

export interface Difficulty {
  readonly bin: string;
  readonly alpha: number;
  readonly beta: number;
  readonly mean: number;
  readonly interval: Interval | null;
  readonly attempts: number;
  readonly passes: number;
  readonly truncated: number;
  readonly environment_failures: number;
  readonly reason: string;
  readonly evaluation: number;
  readonly checkpoint: string;
}

export interface CuratedRow {
  readonly rank: number;
  readonly problem_id: string;
  readonly title: string;
  readonly namespace: string;
  readonly record_id: string;
  readonly bin: string;
  readonly predicted: boolean;
  readonly retest: boolean;
  readonly value: number;
  readonly mixed_probability: number;
  readonly mean: number;
  readonly interval: Interval | null;
  readonly attempts: number;
  readonly passes: number;
}

export interface TargetStory {
  readonly target: string;
  readonly checkpoint: string;
  readonly placement: { readonly kind: string; readonly bin?: string; readonly predicted?: boolean };
  readonly why: string;
  readonly difficulty: Difficulty | null;
  readonly curated: Omit<CuratedRow, 'rank'> | null;
  readonly moves: readonly Move[];
}

export interface Story extends ProblemRow {
  readonly origin: Readonly<Record<string, string | null>> | null;
  readonly stages: readonly StageWord[];
  readonly withdrawals: readonly {
    readonly stage: string;
    readonly version: number;
    readonly reason: string;
    readonly evidence: readonly EvidenceItem[];
    readonly successor_id: string;
    readonly taken_back: boolean;
    readonly withdrawn_at: string | null;
  }[];
  readonly dead_letters: readonly {
    readonly service: string;
    readonly topic: string;
    readonly error_code: string;
    readonly error_message: string;
    readonly dead_lettered_at: string | null;
  }[];
  readonly normalized: {
    readonly notes: readonly { readonly code: string; readonly count: number; readonly detail: string }[];
    readonly content: Readonly<Record<string, unknown>>;
  } | null;
  readonly cluster: { readonly split: string; readonly cluster_id: string; readonly cluster_size: number } | null;
  readonly verified: {
    readonly suite_hash: string;
    readonly test_count: number;
    readonly shares_process: boolean;
    readonly judge_version: string;
    readonly reference_runs: readonly {
      readonly language: string;
      readonly tests_run: number;
      readonly max_cpu_time_ms: number;
    }[];
  } | null;
  readonly score: {
    readonly score: number;
    readonly dimensions: Readonly<Record<string, number>> | null;
    readonly predictor: { readonly name: string; readonly version: string } | null;
  } | null;
  readonly targets: readonly TargetStory[];
}

export interface CutText {
  readonly text: string;
  /** Characters left out. */
  readonly cut: number;
}

export interface ShownText extends CutText {
  readonly version: number;
  readonly title: string;
  readonly starter_code: string;
  readonly bytes: number;
}

export interface Texts {
  readonly withheld: string | null;
  readonly original: ShownText | null;
  readonly cleaned: ShownText | null;
}

export interface Tests {
  readonly withheld: string | null;
  readonly suite_hash: string;
  readonly form: string;
  readonly checker: string;
  readonly entry_point: string;
  readonly setup_code: CutText;
  readonly total: number;
  readonly tests: readonly {
    readonly name: string;
    readonly public: boolean;
    readonly kind: string;
    readonly input: CutText | null;
    readonly expected: CutText | null;
  }[];
}

export interface Attempt {
  readonly index: number;
  readonly verdict: string;
  readonly tests_run: number;
  readonly tests_passed: number;
  readonly cpu_time_ms: number;
  readonly memory_bytes: number;
  readonly failing_test: string;
  readonly excerpt: string;
  readonly truncated: boolean;
}

export interface AttemptGroups {
  readonly withheld: string | null;
  readonly groups: readonly {
    readonly group_id: string;
    readonly checkpoint: string;
    readonly purpose: string;
    readonly submitter: string;
    readonly suite_hash: string;
    readonly graded_at: string | null;
    readonly attempts: readonly Attempt[];
  }[];
}

export interface PosteriorPoint {
  readonly evaluation: number;
  readonly mean: number;
  readonly interval: Interval | null;
  readonly bin: string;
  readonly attempts: number;
  readonly passes: number;
  readonly checkpoint: string;
}

export interface Cluster {
  readonly cluster_id: string;
  readonly founder_id: string;
  readonly cluster_size: number;
  readonly members: readonly {
    readonly problem_id: string;
    readonly title: string;
    readonly namespace: string;
    readonly record_id: string;
    readonly state: string;
    readonly reason: string;
    readonly value: number | null;
  }[];
}

export interface Evaluation {
  readonly number: number;
  readonly evaluated_at: string | null;
  readonly checkpoint: string;
  readonly trigger: string;
  readonly bins: Readonly<Record<string, number>>;
  readonly moved: number;
}
