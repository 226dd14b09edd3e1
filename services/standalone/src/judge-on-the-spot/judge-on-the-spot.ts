import { extname } from 'node:path';
import { type Judge, openJudge } from '@tidemark/execute';
import { canonicalLanguage, isAboutProgram, type Limits, type Verdict } from '@tidemark/judging';
import { processVariables } from '../standalone.config.ts';
import type { SpotEvent, SpotOptions } from './events.ts';
import { readProblem, readProgram, type SpotProblem, UnusableProblemError } from './read-problem.ts';
import { onlyTest, type SpotSuite, spotSuite, withSetup } from './spot-suite.ts';

/** Users of runs: others than those of a service that may run on this machine. */
const FIRST_UID = 70_000;
/** Room in which a program is measured whose problem states no limit. */
const MEASURING_MS = 20_000;

interface Program {
  readonly name: string;
  readonly language: string;
  readonly source: string;
  readonly wanted: readonly string[];
}

/**
 * Judges programs by a problem, in this process, without stream, database or gateway, as `execute` would: the same suite,
 * sandbox and judge.
 *
 * @throws UnusableProblemError where the problem can't be judged, or programs can't be isolated here
 */
export async function* judgeOnTheSpot(options: SpotOptions): AsyncGenerator<SpotEvent> {
  const problem = await readProblem(options.problem, options.id);
  const programs = await programsOf(problem, options);
  const {
    TIDEMARK_EXECUTE_PYTHON: python,
    TIDEMARK_EXECUTE_CC: cc,
    TIDEMARK_EXECUTE_CXX: cxx,
    TIDEMARK_EXECUTE_BWRAP: bwrap,
  } = processVariables();
  const opened = await openJudge({
    firstUid: FIRST_UID,
    ...(python ? { python } : {}),
    ...(cc ? { cc } : {}),
    ...(cxx ? { cxx } : {}),
    ...(bwrap ? { bwrap } : {}),
  });
  if (opened.kind === 'closed') throw new UnusableProblemError(`programs can't be isolated here: ${opened.reason}`);
  const { judge } = opened;
  const signal = options.signal ?? new AbortController().signal;
  try {
    const suite = await spotSuite(problem.record, judge, signal);
    const { limits, source } = await limitsOf(problem, suite, judge, options, signal);
    const { record, warnings } = problem;
    yield {
      kind: 'problem',
      title: record.title,
      tests: suite.names.length,
      checker: record.tests?.form === 'assert' ? 'assert' : (record.tests?.checker.kind ?? ''),
      cpu_ms: limits.cpuTimeMs,
      limit: source,
      memory_bytes: limits.memoryBytes,
      judge: judge.version,
      languages: judge.languages,
      warnings,
    };
    for (const program of programs) yield* judgeProgram(program, { ...suite, limits }, judge, options, signal);
  } finally {
    await opened.close();
  }
}

async function* judgeProgram(
  program: Program,
  { form, names, setup, limits }: SpotSuite,
  judge: Judge,
  { stopAtFirst = false }: SpotOptions,
  signal: AbortSignal,
): AsyncGenerator<SpotEvent> {
  const submission = { language: program.language, source: withSetup(setup, program.source) };
  let [run, passed, maxCpuMs, maxMemory] = [0, 0, 0, 0];
  let failure: { readonly verdict: Verdict; readonly detail: string; readonly test: string } | undefined;
  for (const [at, test] of names.entries()) {
    signal.throwIfAborted();
    const result = await judge.judge(submission, onlyTest(form, at), limits, { signal });
    const { verdict, detail, expected } = result;
    run += 1;
    if (verdict === 'accepted') passed += 1;
    else failure ??= { verdict, detail, test };
    maxCpuMs = Math.max(maxCpuMs, result.maxCpuTimeMs);
    maxMemory = Math.max(maxMemory, result.memoryBytes);
    yield {
      kind: 'test',
      submission: program.name,
      test,
      verdict,
      cpu_ms: Math.round(result.maxCpuTimeMs),
      wall_ms: Math.round(result.wallTimeMs),
      memory_bytes: result.memoryBytes,
      detail,
      ...(expected === undefined ? {} : { expected }),
    };
    const isOver = verdict === 'compile_error' || !isAboutProgram(verdict) || (stopAtFirst && verdict !== 'accepted');
    if (isOver) break;
  }
  const verdict = failure?.verdict ?? 'accepted';
  const allowed = program.wanted.length === 0 ? ['accepted'] : program.wanted;
  yield {
    kind: 'submission',
    submission: program.name,
    language: program.language,
    verdict,
    test: failure?.test ?? '',
    tests_run: run,
    tests_passed: passed,
    max_cpu_ms: Math.round(maxCpuMs),
    max_memory_bytes: maxMemory,
    wanted: program.wanted,
    // Packages know no verdict for memory: who runs out of it crashes.
    as_wanted: allowed.includes(verdict) || (verdict === 'memory_limit' && allowed.includes('runtime_error')),
    waits: program.wanted.length > 0 && verdict === 'language_missing',
    detail: failure?.detail ?? '',
  };
}

async function programsOf(problem: SpotProblem, { programs, language }: SpotOptions): Promise<readonly Program[]> {
  if (programs.length === 0) {
    if (problem.labelled.length === 0)
      throw new UnusableProblemError('no program was given, and the problem brings none');
    return problem.labelled.map(({ path, language: name, code, expected }) => ({
      name: path,
      language: name,
      source: code,
      wanted: expected,
    }));
  }
  return Promise.all(
    programs.map(async (path) => {
      const named = language ?? canonicalLanguage(extname(path).slice(1));
      if (named === '') throw new UnusableProblemError(`${path} has no ending: name its language by --language`);
      return { name: path, language: named, source: await readProgram(path), wanted: [] };
    }),
  );
}

/** A package that states no time limit gets one as its format says: the slowest right program, times its factor. */
async function limitsOf(
  { record, labelled, timing }: SpotProblem,
  suite: SpotSuite,
  judge: Judge,
  { timeLimitSeconds }: SpotOptions,
  signal: AbortSignal,
): Promise<{ readonly limits: Limits; readonly source: 'stated' | 'measured' | 'default' | 'given' }> {
  const within = (seconds: number): Limits => ({
    ...suite.limits,
    cpuTimeMs: Math.round(seconds * 1000),
    wallTimeMs: Math.max(suite.limits.wallTimeMs, Math.round(seconds * 3000)),
  });
  if (timeLimitSeconds !== undefined) return { limits: within(timeLimitSeconds), source: 'given' };
  if (record.limits.cpuTimeMs !== undefined) return { limits: suite.limits, source: 'stated' };
  const right = labelled.filter(({ expected, language }) => expected.join() === 'accepted' && judge.speaks(language));
  if (timing === undefined || right.length === 0) return { limits: suite.limits, source: 'default' };
  let slowestMs = 0;
  for (const { language, code } of right) {
    const room = within(MEASURING_MS / 1000);
    const result = await judge.judge({ language, source: withSetup(suite.setup, code) }, suite.form, room, { signal });
    if (result.verdict === 'accepted') slowestMs = Math.max(slowestMs, result.maxCpuTimeMs);
  }
  return { limits: within(Math.max(1, Math.ceil((slowestMs / 1000) * timing.multiplier))), source: 'measured' };
}
