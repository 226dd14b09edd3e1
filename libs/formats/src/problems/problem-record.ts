/** What a parser reads from a record of any problem format: still as its source wrote it, nothing cleaned. */
export interface ProblemRecord {
  /** Name of the format that the record was read as. */
  readonly format: ProblemFormatName;
  /** The source; record ids are unique within it. */
  readonly namespace: string;
  /** The source's own id; undefined where it has none, and the content is the identity. */
  readonly recordId: string | undefined;
  readonly origin: RecordOrigin;
  readonly title: string;
  /** Markdown. */
  readonly statement: string;
  readonly taskKind: TaskKind;
  /** Programming language wanted, lower case. */
  readonly language: string;
  /** Code that an attempt starts from; empty when none. */
  readonly starterCode: string;
  /** Name that tests call; empty for programs and where it is unknown. */
  readonly entryPoint: string;
  /** Undefined when the record has no tests. */
  readonly tests: RecordTests | undefined;
  /** Claimed to be right; whole programs. */
  readonly references: readonly RecordSolution[];
  /** Claimed to be wrong. */
  readonly knownWrong: readonly RecordSolution[];
  readonly limits: RecordLimits;
  /** Further properties, by snake_case name. */
  readonly facets: Readonly<Record<string, string>>;
}

export type ProblemFormatName =
  | 'tidemark.problem.v1'
  | 'humaneval'
  | 'mbpp'
  | 'livecodebench'
  | 'code_contests'
  | 'nemo_gym';
export type OriginKind = 'real' | 'synthetic' | 'unknown';
export type TaskKind = 'program' | 'function' | 'class' | 'repair' | 'translation' | 'multi_file';

export interface RecordOrigin {
  readonly kind: OriginKind;
  /** SPDX expression or the source's own words; empty when unknown. */
  readonly licence: string;
  readonly url: string;
  readonly platform: string;
  /** The source's own label, verbatim. */
  readonly difficultyLabel: string;
  /** RFC 3339, UTC; undefined when unknown. */
  readonly publishedAt: string | undefined;
  /** RFC 3339, UTC; undefined when unknown. */
  readonly scrapedAt: string | undefined;
}

/** Tests in one explicit form. `example` cases may be shown to a model, all others are hidden. */
export type RecordTests =
  | {
      readonly form: 'stdin';
      readonly checker: RecordChecker;
      /** `expected` undefined: to be made by running a reference. */
      readonly cases: readonly {
        readonly input: string;
        readonly expected: string | undefined;
        readonly example: boolean;
        /** The source's own name of the test; undefined where it has none. */
        readonly name: string | undefined;
      }[];
    }
  | {
      readonly form: 'call';
      readonly checker: RecordChecker;
      readonly cases: readonly {
        /** One exact JSON text an argument. */
        readonly arguments: readonly string[];
        /** Exact JSON texts by name. */
        readonly namedArguments: Readonly<Record<string, string>>;
        /** Exact JSON text. */
        readonly expected: string | undefined;
        /** Index of the argument to compare in place of what is returned. */
        readonly inPlace: number | undefined;
        readonly example: boolean;
      }[];
    }
  | {
      readonly form: 'assert';
      /** Code that runs before the program; empty when none. */
      readonly preparation: string;
      /** Each runs by itself after the program, in its namespace. */
      readonly cases: readonly { readonly code: string; readonly example: boolean }[];
    };

export type RecordChecker =
  | { readonly kind: 'exact' }
  | { readonly kind: 'tokens' | 'lines' | 'unordered_tokens'; readonly ignoreCase: boolean }
  | { readonly kind: 'float' | 'json'; readonly abs: number; readonly rel: number }
  | { readonly kind: 'program'; readonly code: string; readonly language: string }
  /** The default validator of the Kattis format: tokens, or blanks too where they count; tolerances only where given. */
  | {
      readonly kind: 'default';
      readonly caseSensitive: boolean;
      readonly spaceChangeSensitive: boolean;
      readonly abs: number | undefined;
      readonly rel: number | undefined;
    }
  /** A whole program that decides, called as its protocol has it. */
  | {
      readonly kind: 'validator';
      readonly protocol: ValidatorProtocol;
      readonly language: string;
      readonly code: string;
      /** Files beside it, by relative path. */
      readonly files: Readonly<Record<string, string>>;
      readonly flags: readonly string[];
    };

/**
 * `kattis`: `validator INPUT ANSWER FEEDBACK_FOLDER FLAGS… < OUTPUT`, 42 accepts, 43 refuses.
 * `testlib`: `checker INPUT OUTPUT ANSWER`, 0 accepts, 1 and 2 refuse.
 */
export type ValidatorProtocol = 'kattis' | 'testlib';

export interface RecordSolution {
  readonly code: string;
  readonly language: string;
  readonly author: string;
}

/** Limits of one test; undefined means the judge's default. */
export interface RecordLimits {
  readonly cpuTimeMs: number | undefined;
  readonly wallTimeMs: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly outputBytes: number | undefined;
}

export const noLimits: RecordLimits = {
  cpuTimeMs: undefined,
  wallTimeMs: undefined,
  memoryBytes: undefined,
  outputBytes: undefined,
};
