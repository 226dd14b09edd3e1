/** What judging on the spot tells as it goes. Names are those of `--json`. */
export type SpotEvent =
  | {
      readonly kind: 'problem';
      readonly title: string;
      readonly tests: number;
      readonly checker: string;
      readonly cpu_ms: number;
      /** Where the limit comes from: the problem, the slowest program that is right, or the judge's own. */
      readonly limit: 'stated' | 'measured' | 'default' | 'given';
      readonly memory_bytes: number;
      readonly judge: string;
      readonly languages: readonly string[];
      readonly warnings: readonly { readonly field: string; readonly reason: string }[];
    }
  | {
      readonly kind: 'test';
      readonly submission: string;
      readonly test: string;
      readonly verdict: string;
      readonly cpu_ms: number;
      readonly wall_ms: number;
      readonly memory_bytes: number;
      readonly detail: string;
      /** What was expected there: for those who may see the tests. */
      readonly expected?: string;
    }
  | {
      readonly kind: 'submission';
      readonly submission: string;
      readonly language: string;
      /** Of the first test that was not passed. */
      readonly verdict: string;
      readonly test: string;
      readonly tests_run: number;
      readonly tests_passed: number;
      readonly max_cpu_ms: number;
      readonly max_memory_bytes: number;
      /** Verdicts that its label allows; empty where it has none, and `accepted` is wanted. */
      readonly wanted: readonly string[];
      readonly as_wanted: boolean;
      /** It came with the problem, in a language that nothing here judges: no difference. */
      readonly waits: boolean;
      readonly detail: string;
    };

export interface SpotOptions {
  /** Path of a problem file or package. */
  readonly problem: string;
  /** Which record of a file. */
  readonly id?: string | undefined;
  /** Paths of programs; none: those that come with the problem. */
  readonly programs: readonly string[];
  /** Of all programs given; where absent, by their endings. */
  readonly language?: string | undefined;
  /** CPU seconds in place of the problem's. */
  readonly timeLimitSeconds?: number | undefined;
  /** A program's first failing test ends it. */
  readonly stopAtFirst?: boolean;
  readonly signal?: AbortSignal;
}
