import { randomBytes } from 'node:crypto';
import {
  type CheckerProgram,
  compare,
  decideVerdict,
  defaultLimits,
  definesWithoutCalling,
  type Delivered,
  excerpt,
  isAboutProgram,
  type Judgement,
  type Limits,
  type StdinTest,
  type TestForm,
  type Verdict,
} from '@tidemark/judging';
import type {
  CallSpec,
  HarnessReport,
  LanguageProfile,
  PreparedRun,
  SourceUnit,
} from '../languages/language-profile.ts';
import type { Sandbox, SandboxOutcome } from '../sandbox/sandbox.ts';
import type { BuildCache } from './build-cache.ts';
import { Builds } from './builds.ts';
import { judgeVersionOf } from './judge-version.ts';
import { runChecker } from './run-checker.ts';

/** A program to be judged. For assertion scripts it is whole already: preamble and answer put together. */
export type Submission = SourceUnit & { readonly language: string };

export type JudgeOptions = {
  /** Go on after a failing test. Default false: the first failing test ends the run. */
  readonly allTests?: boolean;
  /**
   * References passed this suite: its tests compile and its checker works, so that what breaks now is the program's
   * doing. Default false.
   */
  readonly proven?: boolean;
  readonly signal?: AbortSignal;
};

/** What became of a submission. Times are sums over its tests, memory is the largest of a test. */
export type JudgeResult = Judgement & {
  readonly testsRun: number;
  readonly testsPassed: number;
  readonly cpuTimeMs: number;
  readonly maxCpuTimeMs: number;
  readonly wallTimeMs: number;
  readonly memoryBytes: number;
  /** 0-based index of the first test that was not passed. */
  readonly failingTest?: number;
};

/** One input, without an expected answer. */
export type Question =
  | { readonly kind: 'stdin'; readonly input: Uint8Array }
  | { readonly kind: 'call'; readonly call: CallSpec };

/** What came of a question: bytes of output, or the JSON text of a value. */
export type Answer =
  | { readonly kind: 'answered'; readonly output: Uint8Array }
  | ({ readonly kind: 'none' } & Judgement);

/** A starved run, or one whose sandbox failed, is tried so many times in all before that is its verdict. */
const TRIES = 3;
const decoder = new TextDecoder();

type TestOutcome = Judgement & {
  readonly cpuTimeMs: number;
  readonly wallTimeMs: number;
  readonly memoryBytes: number;
};
type Ran = Extract<SandboxOutcome, { kind: 'ran' }>;

/** Runs submissions over test forms and decides. Holds no state between them. */
export class Judge {
  private readonly builds: Builds;

  /** @param cache where compiled programs are kept; without one a program is compiled as often as it is judged */
  constructor(
    private readonly sandbox: Sandbox,
    private readonly profiles: readonly LanguageProfile[],
    cache?: BuildCache,
  ) {
    this.builds = new Builds(sandbox, cache);
  }

  /** Hash of policy, profiles and the way of running: results of two versions are never mixed. */
  get version(): string {
    return judgeVersionOf(this.profiles, this.sandbox.accounting);
  }

  /** The same for what is judged in these languages alone: another compiler changes no verdict of a script. */
  versionFor(languages: readonly string[]): string {
    const used = this.profiles.filter(({ language }) => languages.includes(language));
    return judgeVersionOf(used, this.sandbox.accounting);
  }

  /** Names of the languages judged here. */
  get languages(): readonly string[] {
    return this.profiles.map(({ language }) => language);
  }

  /** Whether the compiler of a language works in the sandbox, where it has one: undefined, or what is wrong. */
  trial(profile: LanguageProfile): Promise<string | undefined> {
    return this.builds.trial(profile);
  }

  /** Whether a language can be judged here, by tests of this form. */
  speaks(language: string, form: TestForm['kind'] = 'stdin'): boolean {
    const profile = this.profileOf(language);
    return profile !== undefined && knows(profile, form);
  }

  /**
   * Whether a program known to be right is accepted: what failed beside it was not the machine's doing. It runs by
   * itself, since that is where the other one failed in the end.
   */
  async passesKnownGood(language: string, signal?: AbortSignal): Promise<boolean> {
    const profile = this.profileOf(language);
    if (!profile) return false;
    const { source, input, output } = profile.knownGood;
    // What was compiled earlier says nothing of the compiler now.
    if ((await this.trial(profile)) !== undefined) return false;
    const built = await this.builds.of(profile, { source }, signal);
    if (built.kind === 'refused') return false;
    const { warm: _copies, ...alone } = profile.program(source, built.binary);
    const outcome = await this.sandbox.run({ ...alone, stdin: encode(input) }, defaultLimits, signal);
    if (outcome.kind !== 'ran') return false;
    const { verdict } = decideVerdict(outcome.facts, defaultLimits, () =>
      compare({ kind: 'tokens' }, encode(output), outcome.stdout).equal
        ? { kind: 'right' }
        : { kind: 'failed', verdict: 'wrong_answer', detail: '' },
    );
    return verdict === 'accepted';
  }

  /** What a program answers to one input, or why it gives none: how expected outputs are made from references. */
  async answer(submission: Submission, question: Question, limits: Limits, signal?: AbortSignal): Promise<Answer> {
    const profile = this.profileOf(submission.language);
    const call = question.kind === 'call' ? profile?.call?.bind(profile) : undefined;
    if (!profile || (question.kind === 'call' && !call)) {
      return { kind: 'none', verdict: 'language_missing', detail: `no profile for ${submission.language}` };
    }
    const built = await this.builds.of(profile, submission, signal);
    if (built.kind === 'refused') return { kind: 'none', ...built.judgement };
    const { source } = submission;
    const prepared =
      question.kind === 'call' && call ? call(source, question.call) : profile.program(source, built.binary);
    const stdin = question.kind === 'stdin' ? question.input : new Uint8Array();
    const outcome = await this.sandbox.run({ ...prepared, stdin }, limits, signal);
    if (outcome.kind === 'sandbox_failure') return { kind: 'none', verdict: 'sandbox_failure', detail: outcome.reason };
    const report = question.kind === 'stdin' ? undefined : profile.readReport(outcome.report, undefined);
    const judgement = decideVerdict(outcome.facts, limits, () =>
      report === undefined || report.kind === 'returned'
        ? { kind: 'right' }
        : deliveredBy(report, 'ended before the function returned'),
    );
    if (judgement.verdict !== 'accepted') return { kind: 'none', ...judgement };
    return { kind: 'answered', output: report?.kind === 'returned' ? encode(report.valueJson) : outcome.stdout };
  }

  async judge(
    submission: Submission,
    form: TestForm,
    limits: Limits,
    options: JudgeOptions = {},
  ): Promise<JudgeResult> {
    const profile = this.profileOf(submission.language);
    if (!profile || !knows(profile, form.kind)) {
      return unjudged(
        'language_missing',
        `no profile for ${submission.language}${profile ? ` with ${form.kind}` : ''}`,
      );
    }
    if (form.tests.length === 0) return unjudged('no_tests', 'the problem has no tests');
    const built = await this.builds.of(profile, submission, options.signal);
    if (built.kind === 'refused') return unjudged(built.judgement.verdict, built.judgement.detail);
    const limited = scaled(limits, profile.limitsFactor);
    const tests = this.testsOf(profile, { source: submission.source, binary: built.binary }, form, limited, options);
    const outcomes: TestOutcome[] = [];
    for (const test of tests) {
      const outcome = await untilAboutProgram(test);
      outcomes.push(outcome);
      if (outcome.verdict !== 'accepted' && (!options.allTests || !isAboutProgram(outcome.verdict))) break;
    }
    return summary(outcomes);
  }

  private profileOf(language: string): LanguageProfile | undefined {
    return this.profiles.find((one) => one.language === language);
  }

  private testsOf(
    profile: LanguageProfile,
    { source, binary }: { readonly source: string; readonly binary: Uint8Array | undefined },
    form: TestForm,
    limits: Limits,
    options: JudgeOptions,
  ): (() => Promise<TestOutcome>)[] {
    const run = (prepared: PreparedRun, stdin: Uint8Array = new Uint8Array()) => {
      return this.sandbox.run({ ...prepared, stdin }, limits, options.signal);
    };
    switch (form.kind) {
      case 'stdin':
        return form.tests.map(({ input, expected }) => async () => {
          const outcome = await run(profile.program(source, binary), input);
          if (outcome.kind === 'sandbox_failure') return failed(outcome.reason);
          const { checker } = form;
          if (checker.kind === 'program') return this.byChecker(outcome, limits, checker, { input, expected }, options);
          const judgement = decideVerdict(outcome.facts, limits, () => {
            const compared = compare(checker, expected, outcome.stdout);
            if (compared.equal) return { kind: 'right' };
            return this.wrongOutput(source, profile, outcome.stdout, compared);
          });
          return measured(outcome, await this.refine(profile, source, outcome, judgement, run));
        });
      case 'call':
        return form.tests.map((test) => async () => {
          const { argumentsJson, namedArgumentsJson = {}, inPlaceArgument, expectedJson } = test;
          const spec = { entry: form.entry, argumentsJson, namedArgumentsJson, inPlaceArgument };
          const outcome = await run(called(profile).call(source, spec));
          if (outcome.kind === 'sandbox_failure') return failed(outcome.reason);
          const report = profile.readReport(outcome.report, undefined);
          return measured(
            outcome,
            decideVerdict(outcome.facts, limits, () => {
              if (report.kind !== 'returned') return deliveredBy(report, 'ended before the function returned');
              const compared = compare(form.comparison, encode(expectedJson), encode(report.valueJson));
              if (compared.equal) return { kind: 'right' };
              return {
                kind: 'failed',
                verdict: 'wrong_answer',
                detail: `returned ${compared.got}`,
                expected: compared.expected,
              };
            }),
          );
        });
      case 'asserts':
        return form.tests.map((script) => async () => {
          const secret = randomBytes(16).toString('hex');
          const apart = !form.together;
          const outcome = await run(called(profile).asserts(source, { script, secret, entry: form.entry, apart }));
          if (outcome.kind === 'sandbox_failure') return failed(outcome.reason);
          const report = profile.readReport(outcome.report, secret);
          // Tests that compiled for a reference compile: where they share the program's process, it may say otherwise.
          if (report.kind === 'broken_tests' && !options.proven) {
            return measured(outcome, {
              verdict: 'checker_failure',
              detail: `the tests do not compile: ${report.what}`,
            });
          }
          return measured(
            outcome,
            decideVerdict(outcome.facts, limits, () => deliveredBy(report, 'ended before the last assertion')),
          );
        });
    }
  }

  /**
   * A problem's own checker decides. Where it breaks on an output although it works on the expected one, the output is
   * to blame: a checker that takes what it reads for well-formed must not be a way out of a wrong answer.
   */
  private async byChecker(
    outcome: Ran,
    limits: Limits,
    checker: CheckerProgram,
    test: StdinTest,
    { proven, signal }: JudgeOptions,
  ): Promise<TestOutcome> {
    const first = decideVerdict(outcome.facts, limits, () => ({ kind: 'right' }));
    if (first.verdict !== 'accepted') return measured(outcome, first);
    const profile = this.profileOf(checker.language);
    if (!profile || (!profile.checker && (checker.protocol ?? 'function') === 'function'))
      return measured(outcome, { verdict: 'language_missing', detail: `the checker's language ${checker.language}` });
    const ask = (output: Uint8Array) =>
      runChecker({ sandbox: this.sandbox, profile, builds: this.builds }, checker, { ...test, output }, limits, signal);
    const said = await ask(outcome.stdout);
    if (said.kind === 'environment') return measured(outcome, said.judgement);
    const written = `"${excerpt(outcome.stdout, 80)}"`;
    if (said.kind === 'answered') {
      if (said.accepted) return measured(outcome, first);
      return measured(outcome, { verdict: 'wrong_answer', detail: `the checker refuses ${written}` });
    }
    const control = proven ? ({ kind: 'answered', accepted: true } as const) : await ask(test.expected);
    if (control.kind === 'environment') return measured(outcome, control.judgement);
    if (control.kind === 'answered' && control.accepted) {
      return measured(outcome, { verdict: 'wrong_answer', detail: `the checker can't read ${written}` });
    }
    return measured(outcome, { verdict: 'checker_failure', detail: 'the checker failed', expected: said.what });
  }

  private wrongOutput(
    source: string,
    profile: LanguageProfile,
    stdout: Uint8Array,
    compared: { readonly got: string; readonly expected: string },
  ): Delivered {
    if (stdout.length === 0 && profile.language === 'python' && definesWithoutCalling(source)) {
      return {
        kind: 'failed',
        verdict: 'wrong_form',
        detail: 'defines, and calls nothing: a whole program was asked for',
      };
    }
    return { kind: 'failed', verdict: 'wrong_answer', detail: compared.got, expected: compared.expected };
  }

  /** A failed program whose standard error looks like one that doesn't compile is compiled alone, to know. */
  private async refine(
    profile: LanguageProfile,
    source: string,
    outcome: Ran,
    judgement: Judgement,
    run: (prepared: PreparedRun) => Promise<SandboxOutcome>,
  ): Promise<Judgement> {
    if (judgement.verdict !== 'runtime_error') return judgement;
    const stderr = decoder.decode(outcome.stderr);
    if (profile.checkSyntax && profile.suggestsCompileError(stderr)) {
      const compiled = await run(profile.checkSyntax(source));
      const report = compiled.kind === 'ran' ? profile.readReport(compiled.report, undefined) : undefined;
      if (report?.kind === 'compile_error') return { verdict: 'compile_error', detail: excerpt(report.what, 300) };
    }
    const lastLine = stderr.trim().split('\n').at(-1) ?? '';
    return lastLine === '' ? judgement : { ...judgement, detail: `${judgement.detail}: ${excerpt(lastLine, 200)}` };
  }
}

/** Whether tests of a form can be put to programs of a language. */
function knows(profile: LanguageProfile, form: TestForm['kind']): boolean {
  return form === 'stdin' || profile[form === 'call' ? 'call' : 'asserts'] !== undefined;
}

/** A profile of which {@link knows} was asked. */
function called(profile: LanguageProfile): LanguageProfile & Required<Pick<LanguageProfile, 'call' | 'asserts'>> {
  if (!profile.call || !profile.asserts) throw new TypeError(`${profile.language} knows no calls`);
  return profile as LanguageProfile & Required<Pick<LanguageProfile, 'call' | 'asserts'>>;
}

function deliveredBy(report: HarnessReport, silence: string): Delivered {
  switch (report.kind) {
    case 'asserted':
      return { kind: 'right' };
    case 'assertion_failed':
      return {
        kind: 'failed',
        verdict: 'wrong_answer',
        detail: `${excerpt(report.where, 60)} does not hold`,
        expected: excerpt(report.statement, 600),
      };
    case 'raised':
      return {
        kind: 'failed',
        verdict: 'runtime_error',
        detail: excerpt(report.what, 300),
        ...(report.statement === '' ? {} : { expected: excerpt(report.statement, 600) }),
      };
    case 'not_plain':
      return {
        kind: 'failed',
        verdict: 'runtime_error',
        detail: `returned no plain value: ${excerpt(report.what, 100)}`,
      };
    case 'missing_name':
      return { kind: 'failed', verdict: 'wrong_form', detail: `defines no ${excerpt(report.what, 100)}` };
    case 'compile_error':
      return { kind: 'failed', verdict: 'compile_error', detail: excerpt(report.what, 300) };
    default:
      return { kind: 'failed', verdict: 'runtime_error', detail: silence };
  }
}

async function untilAboutProgram(test: () => Promise<TestOutcome>): Promise<TestOutcome> {
  let outcome = await test();
  for (let tries = 1; tries < TRIES && isTransient(outcome.verdict); tries++) outcome = await test();
  return outcome;
}

function isTransient(verdict: Verdict): boolean {
  return verdict === 'machine_overloaded' || verdict === 'sandbox_failure';
}

function summary(outcomes: readonly TestOutcome[]): JudgeResult {
  const failing = outcomes.findIndex(({ verdict }) => verdict !== 'accepted');
  const environment = outcomes.find(({ verdict }) => !isAboutProgram(verdict));
  const decisive = environment ?? outcomes[failing] ?? { verdict: 'accepted' as const, detail: '' };
  const sum = (of: (outcome: TestOutcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  return {
    verdict: decisive.verdict,
    detail: decisive.detail,
    ...('expected' in decisive && decisive.expected !== undefined ? { expected: decisive.expected } : {}),
    testsRun: outcomes.length,
    testsPassed: outcomes.filter(({ verdict }) => verdict === 'accepted').length,
    cpuTimeMs: sum(({ cpuTimeMs }) => cpuTimeMs),
    maxCpuTimeMs: Math.max(...outcomes.map(({ cpuTimeMs }) => cpuTimeMs)),
    wallTimeMs: sum(({ wallTimeMs }) => wallTimeMs),
    memoryBytes: Math.max(...outcomes.map(({ memoryBytes }) => memoryBytes)),
    ...(failing < 0 ? {} : { failingTest: failing }),
  };
}

function measured(outcome: Ran, judgement: Judgement): TestOutcome {
  const { cpuTimeMs, wallTimeMs, memoryPeakBytes } = outcome.facts;
  return { ...judgement, cpuTimeMs, wallTimeMs, memoryBytes: memoryPeakBytes };
}

function failed(reason: string): TestOutcome {
  return { verdict: 'sandbox_failure', detail: reason, cpuTimeMs: 0, wallTimeMs: 0, memoryBytes: 0 };
}

function unjudged(verdict: Verdict, detail: string): JudgeResult {
  const nothing = { testsRun: 0, testsPassed: 0, cpuTimeMs: 0, maxCpuTimeMs: 0, wallTimeMs: 0, memoryBytes: 0 };
  return { verdict, detail, ...nothing };
}

function scaled(limits: Limits, factor: number): Limits {
  return { ...limits, cpuTimeMs: limits.cpuTimeMs * factor, wallTimeMs: limits.wallTimeMs * factor };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
