import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { UnreadableFileError } from '../file-errors.ts';
import {
  codesText,
  problemText,
  submissionRow,
  SUBMISSION_COLUMNS,
  testRow,
  TEST_COLUMNS,
} from '../format/judge-text.ts';
import { tableLines } from '../format/table.ts';
import { loadStandalone, type SpotEvent } from '../start/load-standalone.ts';

interface JudgeOptions {
  readonly id?: string;
  readonly language?: string;
  readonly timeLimit?: number;
  readonly stop?: boolean;
}
type Verdicts = SpotEvent & { readonly kind: 'submission' };

/** More programs than this get a line each, not a table each. */
const TABLES = 3;

export function registerJudge(program: Command, run: Run): void {
  program
    .command('judge')
    .description('judge programs by a problem here and now, without the stream; needs no gateway')
    .argument('<problem>', 'a problem package (folder, zip, tar) or a file of records')
    .argument(
      '[program...]',
      'source files; none: the programs that come with the problem, each held against its label',
    )
    .option('--id <record>', 'which record of a file: the id that it bears, or line:N')
    .option('--language <name>', "of all programs; by their files' endings where it is not named")
    .option('--time-limit <seconds>', "CPU time of a test, in place of the problem's", seconds)
    .option('--stop', 'a program ends with its first failing test; a compile error always ends it')
    .action((problem: string, programs: string[], options: JudgeOptions) =>
      run((context) => judge(context, problem, programs, options)),
    );
}

function seconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 600) return value;
  throw new InvalidArgumentError('it is a number of seconds above 0, at most 600');
}

async function judge(
  { output, signal }: CommandContext,
  problem: string,
  programs: readonly string[],
  { id, language, timeLimit, stop }: JudgeOptions,
): Promise<ExitCode> {
  const { judgeOnTheSpot, UnusableProblemError } = await loadStandalone();
  const ended: Verdicts[] = [];
  let tests: (SpotEvent & { kind: 'test' })[] = [];
  const lines: string[] = [];
  const told = { problem, programs, signal, stopAtFirst: stop === true, id, language, timeLimitSeconds: timeLimit };
  try {
    for await (const event of judgeOnTheSpot(told)) {
      if (event.kind === 'submission') ended.push(event);
      if (output.json) {
        await output.object(event);
        continue;
      }
      if (event.kind === 'problem') for (const line of problemText(event)) await output.line(line);
      if (event.kind === 'test') {
        tests.push(event);
        output.progress(`${event.submission}: test ${event.test} ${event.verdict}`);
      }
      if (event.kind === 'submission') {
        if (programs.length > 0 && programs.length <= TABLES) {
          await output.line();
          await output.line(event.submission);
          for (const line of tableLines(TEST_COLUMNS, tests.map(testRow))) await output.line(line);
        } else lines.push(`${event.submission}: ${codesText(tests)}`);
        tests = [];
      }
    }
  } catch (error) {
    if (!(error instanceof UnusableProblemError)) throw error;
    throw new UnreadableFileError(error.message, { cause: error });
  }
  if (!output.json) {
    await output.line();
    for (const line of lines) await output.line(line);
    if (lines.length > 0) await output.line();
    for (const line of tableLines(SUBMISSION_COLUMNS, ended.map(submissionRow))) await output.line(line);
  }
  const judged = ended.filter(({ waits }) => !waits);
  const right = judged.filter(({ as_wanted }) => as_wanted).length;
  if (right === judged.length) return exitCodes.success;
  return right === 0 ? exitCodes.failure : exitCodes.partly;
}
