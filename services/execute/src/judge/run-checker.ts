import { decideVerdict, excerpt, isAboutProgram, type Judgement, type Limits } from '@tidemark/judging';
import type { HarnessReport, LanguageProfile } from '../languages/language-profile.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

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

/** Runs a problem's checker apart from the program. */
export async function runChecker(
  sandbox: Sandbox,
  profile: LanguageProfile,
  source: string,
  { input, output, expected }: Checked,
  limits: Limits,
  signal: AbortSignal | undefined,
): Promise<CheckerAnswer> {
  const room = {
    ...limits,
    cpuTimeMs: limits.cpuTimeMs + MORE_CPU_MS,
    wallTimeMs: limits.wallTimeMs + MORE_WALL_MS,
  };
  const prepared = profile.checker?.(source, input, output, expected);
  if (!prepared) throw new TypeError(`${profile.language} has no checkers of this kind`);
  const outcome = await sandbox.run({ ...prepared, stdin: new Uint8Array() }, room, signal);
  if (outcome.kind === 'sandbox_failure') {
    return { kind: 'environment', judgement: { verdict: 'sandbox_failure', detail: outcome.reason } };
  }
  const ended = decideVerdict(outcome.facts, room, () => ({ kind: 'right' }));
  if (!isAboutProgram(ended.verdict)) return { kind: 'environment', judgement: ended };
  const report = profile.readReport(outcome.report, undefined);
  if (report.kind === 'checked') return { kind: 'answered', accepted: report.accepted };
  return { kind: 'broke', what: ended.detail || wordOf(report) };
}

function wordOf(report: HarnessReport): string {
  return 'what' in report ? excerpt(report.what, 200) : 'no answer';
}
