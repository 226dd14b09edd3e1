import type { Judgement, Limits } from '@tidemark/judging';
import type { SandboxCommand, SandboxFile } from '../sandbox/sandbox.ts';
import type { WarmInterpreter } from '../sandbox/warm/warm-interpreter.ts';

/** What a run in the sandbox needs, apart from its standard input. */
export type PreparedRun = Pick<
  SandboxCommand,
  'argv' | 'environment' | 'readOnlyFolders' | 'hiddenFolders' | 'withoutProc' | 'mounts' | 'files' | 'harness' | 'warm'
>;

/** A program as it was handed in. */
export type SourceUnit = {
  /** The main file. */
  readonly source: string;
  /** Further files beside it, by relative path: headers, modules, other parts of the program. */
  readonly files?: Readonly<Record<string, string>>;
};

/** How a source becomes a binary: a run that writes it to its report. */
export type Build = {
  /** Names the binary: equal where source, flags and compiler are equal. */
  readonly id: string;
  readonly prepared: PreparedRun;
  readonly limits: Limits;
};

/** What a harness inside the sandbox reported. Untrusted: every field is the program's word, the proof's secret aside. */
export type HarnessReport =
  /** The call returned; `valueJson` is its value, or the changed argument, as JSON text. */
  | { readonly kind: 'returned'; readonly valueJson: string }
  /** The last assertion ran: the report holds the secret that only then became readable. */
  | { readonly kind: 'asserted' }
  | { readonly kind: 'assertion_failed'; readonly where: string; readonly statement: string }
  | { readonly kind: 'raised'; readonly what: string; readonly statement: string }
  | { readonly kind: 'not_plain'; readonly what: string }
  | { readonly kind: 'missing_name'; readonly what: string }
  | { readonly kind: 'compile_error'; readonly what: string }
  | { readonly kind: 'checked'; readonly accepted: boolean }
  | { readonly kind: 'compiles' }
  /** The tests themselves do not compile: says nothing about the program. */
  | { readonly kind: 'broken_tests'; readonly what: string }
  /** Nothing, or no report of ours. */
  | { readonly kind: 'none' };

export type CallSpec = {
  readonly entry: string;
  readonly argumentsJson: readonly string[];
  readonly namedArgumentsJson: Readonly<Record<string, string>>;
  readonly inPlaceArgument: number | undefined;
};

export type AssertSpec = {
  readonly script: string;
  /** Proves that the last assertion ran: it can be read only then. */
  readonly secret: string;
  /** The function asked for; may bear the name of a builtin, which no other name of the program may replace. */
  readonly entry: string;
  /** The tests in a process of their own, which the program can't reach. */
  readonly apart: boolean;
};

/** All that judging needs to know of a language; a further language is one more of these. */
export interface LanguageProfile {
  /** Lower case, as in problems and suites. */
  readonly language: string;
  /** Shown by `doctor`, part of the judge's version. */
  readonly version: string;
  /** Host folders that its runs need, beside /usr. */
  readonly readOnlyFolders: readonly string[];
  /** Where copies of a waiting interpreter can be made. */
  readonly warm?: WarmInterpreter | undefined;
  /** CPU and wall limits are multiplied by this. */
  readonly limitsFactor: number;
  /** A small program that is right, and shows that judging works here. */
  readonly knownGood: { readonly source: string; readonly input: string; readonly output: string };
  /** Further text that may turn a verdict: harness, flags, launcher. */
  readonly fingerprint: string;
  /** Makes a binary of a source; absent where the source itself runs. */
  build?(unit: SourceUnit): Promise<Build>;
  /** What a compiler said of a source that it refused, for whoever wrote it. */
  readRefusal?(unit: SourceUnit, stderr: string): Judgement;
  /** A whole program. @param binary what {@link build} made of it, where there is a build */
  program(source: string, binary?: Uint8Array): PreparedRun;
  /** Calls one function; the value is compared outside. Absent where the language knows no such tests. */
  call?(source: string, call: CallSpec): PreparedRun;
  /** Runs assertions after the program. Absent where the language knows no such tests. */
  asserts?(source: string, asserts: AssertSpec): PreparedRun;
  /** Says only whether the source compiles; absent where a build says it. */
  checkSyntax?(source: string): PreparedRun;
  /** Runs a problem's checker: `check(stdin, out, expected)`. Absent where checkers are programs of their own. */
  checker?(source: string, input: Uint8Array, output: Uint8Array, expected: Uint8Array): PreparedRun;
  /** Runs a checker that is a program of its own, with files beside it and words behind it. */
  validator(
    unit: SourceUnit,
    binary: Uint8Array | undefined,
    files: readonly SandboxFile[],
    words: readonly string[],
  ): PreparedRun;
  readReport(report: Uint8Array, secret: string | undefined): HarnessReport;
  /** True when what a failed program wrote to standard error suggests that its text is at fault. */
  suggestsCompileError(stderr: string): boolean;
}
