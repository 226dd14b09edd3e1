import {
  type CheckerProgram,
  decideVerdict,
  excerpt,
  isAboutProgram,
  type Judgement,
  type Limits,
} from '@tidemark/judging';
import type { HarnessReport, LanguageProfile } from '../languages/language-profile.ts';
import type { Sandbox, SandboxCommand, SandboxFile } from '../sandbox/sandbox.ts';
import type { Builds } from './builds.ts';

/** What a problem's own checker is given. */
export type Checked = { readonly input: Uint8Array; readonly output: Uint8Array; readonly expected: Uint8Array };

/** What came of a checker's run. */
export type CheckerAnswer =
  | { readonly kind: 'answered'; readonly accepted: boolean }
  /** It raised, ended without an answer, or met a limit. `what` may hold expected values: not for trainers. */
  | { readonly kind: 'broke'; readonly what: string }
  /** It was stopped, starved or never ran: it has said nothing, neither of the program nor of itself. */
  | { readonly kind: 'environment'; readonly judgement: Judgement };

/** A checker may need longer than the program: it reads a whole output. */
const MORE_CPU_MS = 10_000;
const MORE_WALL_MS = 30_000;
const LEAST_MEMORY_BYTES = 512 * 1024 * 1024;

/** Asks a problem's checker, apart from the program. */
export async function runChecker(
  { sandbox, profile, builds }: { sandbox: Sandbox; profile: LanguageProfile; builds: Builds },
  checker: CheckerProgram,
  checked: Checked,
  limits: Limits,
  signal: AbortSignal | undefined,
): Promise<CheckerAnswer> {
  const { input, output, expected } = checked;
  const room = {
    ...limits,
    cpuTimeMs: limits.cpuTimeMs + MORE_CPU_MS,
    wallTimeMs: limits.wallTimeMs + MORE_WALL_MS,
    // Its files count as memory.
    memoryBytes:
      Math.max(limits.memoryBytes, LEAST_MEMORY_BYTES) + 2 * (input.length + output.length + expected.length),
  };
  const how = checker.protocol ?? 'function';
  if (how !== 'function') {
    const built = await builds.of(profile, checker, signal);
    if (built.kind === 'refused') return { kind: 'environment', judgement: asCheckers(built.judgement) };
    const ran = await run(validating(how, profile, checker, built.binary, checked));
    if (ran.kind !== 'ended') return ran;
    if (ran.verdict === 'time_limit' || ran.verdict === 'memory_limit') return { kind: 'broke', what: ran.detail };
    const said = ran.outcome.facts.end.kind === 'exited' ? CODES[how][ran.outcome.facts.end.code] : undefined;
    return said === undefined ? { kind: 'broke', what: ran.detail } : { kind: 'answered', accepted: said };
  }
  const prepared = profile.checker?.(checker.source, input, output, expected);
  if (!prepared) throw new TypeError(`${profile.language} has no checkers of this kind`);
  const ran = await run({ ...prepared, stdin: new Uint8Array() });
  if (ran.kind !== 'ended') return ran;
  const report = profile.readReport(ran.outcome.report, undefined);
  if (report.kind === 'checked') return { kind: 'answered', accepted: report.accepted };
  return { kind: 'broke', what: ran.detail || wordOf(report) };

  async function run(command: SandboxCommand) {
    const outcome = await sandbox.run(command, room, signal);
    if (outcome.kind === 'sandbox_failure') {
      const judgement = { verdict: 'sandbox_failure', detail: outcome.reason } as const;
      return { kind: 'environment', judgement } as const;
    }
    const ended = decideVerdict(outcome.facts, room, () => ({ kind: 'right' }));
    if (!isAboutProgram(ended.verdict)) return { kind: 'environment', judgement: ended } as const;
    return { kind: 'ended', ...ended, outcome } as const;
  }
}

/**
 * How a validator says what it found, by exit code; with any other it has failed itself. Kattis: 42 and 43. testlib
 * (`TResult`): 0 right; 1 wrong, 2 badly written, 4 and 8 too much or too little of it; 5, 7 and from 16 on a part of the
 * points, which is no pass; 3 says that the checker or its answer is at fault.
 */
const CODES: Readonly<Record<'kattis' | 'testlib', Readonly<Record<number, boolean>>>> = {
  kattis: { 42: true, 43: false },
  testlib: {
    ...Object.fromEntries(Array.from({ length: 101 }, (_, points) => [16 + points, false])),
    ...{ 0: true, 1: false, 2: false, 4: false, 5: false, 7: false, 8: false },
  },
};
const FEEDBACK = '/box/feedback/';

function validating(
  how: 'kattis' | 'testlib',
  profile: LanguageProfile,
  checker: CheckerProgram,
  binary: Uint8Array | undefined,
  { input, output, expected }: Checked,
): SandboxCommand {
  const files: SandboxFile[] = [
    { path: '/judge/input', content: input },
    { path: '/judge/answer', content: expected },
  ];
  const further = checker.arguments ?? [];
  if (how === 'kattis') {
    files.push({ path: FEEDBACK, content: new Uint8Array() });
    const words = ['/judge/input', '/judge/answer', FEEDBACK, ...further];
    return { ...profile.validator(checker, binary, files, words), stdin: output };
  }
  files.push({ path: '/judge/output', content: output });
  const words = ['/judge/input', '/judge/output', '/judge/answer', ...further];
  return { ...profile.validator(checker, binary, files, words), stdin: new Uint8Array() };
}

/** A checker that does not compile has failed, whatever the compiler calls it. */
function asCheckers(judgement: Judgement): Judgement {
  if (!isAboutProgram(judgement.verdict)) return judgement;
  return { verdict: 'checker_failure', detail: 'the checker does not compile', expected: judgement.detail };
}

function wordOf(report: HarnessReport): string {
  return 'what' in report ? excerpt(report.what, 200) : 'no answer';
}
