/**
 * `npm run cases -- FILE…`: runs written cases through the real judge, or those of text hazards through the real
 * cleaning, and prints for each what was wanted and what came:
 *
 *   npm run cases -- ../shared/cases/judging.jsonl ../shared/cases/text.jsonl [--json] [--only J004,J005] [--cold] [--load 2]
 *
 * `--json` prints one JSON object a case, then one with the counts; `--only` takes some of the cases by their ids;
 * `--cold` gives each test an interpreter of its own; `--load` keeps so many processors busy meanwhile.
 * Of text hazards the cleaning of `normalize` alone is looked at: programs beside a text are not judged.
 * Ends with 1 where a case differs, with 2 where a file can't be read as cases. A case in a language that nothing here
 * judges waits, is named, and is no difference.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tableLines } from '../clients/cli/src/format/table.ts';
import { detectLanguages } from '../services/execute/src/languages/detect-languages.ts';
import { type CaseJudge, openCaseJudge } from '../services/execute/src/testing/cases/case-judge.ts';
import { readCase } from '../services/execute/src/testing/cases/read-bank.ts';
import { runCase } from '../services/execute/src/testing/cases/run-case.ts';
import { WAYS } from '../services/execute/src/testing/sandboxes.ts';
import { readTextCase, runTextCase } from '../services/normalize/src/testing/text-cases.ts';

/** A case of any bank, and what came of it. */
interface Line {
  readonly id: string;
  readonly wanted: string;
  readonly got: string;
  readonly outcome: 'as wanted' | 'differs' | 'waits';
  readonly details: readonly string[];
  /** Of a judge's case: what was looked at from outside. */
  readonly conditions?: readonly { readonly condition: string; readonly holds: boolean | undefined }[];
  readonly seconds?: number;
}
type Case = (judge: CaseJudge) => Promise<Line>;

const { values, positionals } = readArguments();
const files = positionals.map((file) => ({ file, cases: readCases(file) }));
const busy = Array.from({ length: Number(values.load ?? 0) }, keepBusy);
let differing = 0;
try {
  const judge = await openJudge();
  try {
    for (const { file, cases } of files) differing += await runFile(file, cases, judge);
  } finally {
    await judge.close();
  }
} finally {
  for (const child of busy) child.kill('SIGKILL');
}
process.exitCode = differing > 0 ? 1 : 0;

async function runFile(file: string, cases: readonly Case[], judge: CaseJudge): Promise<number> {
  const lines: Line[] = [];
  for (const run of cases) {
    const line = await run(judge);
    lines.push(line);
    if (values.json) print(JSON.stringify({ file, ...line }));
    else process.stderr.write(process.stderr.isTTY ? `\r${file}: ${lines.length} of ${cases.length}` : '');
  }
  if (process.stderr.isTTY && !values.json) process.stderr.write('\r\u001b[K');
  const count = (outcome: Line['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  const summary = {
    cases: lines.length,
    as_wanted: count('as wanted'),
    differ: count('differs'),
    wait: count('waits'),
  };
  if (values.json) {
    print(JSON.stringify({ file, summary }));
    return summary.differ;
  }
  const columns = ['case', 'wanted', 'got', 's', '', ''].map((heading) => ({ heading }));
  const rows = lines.map(({ id, wanted, got, seconds, outcome, details, conditions = [] }) => [
    id,
    wanted,
    got === '' ? '-' : got,
    seconds === undefined ? '' : seconds.toFixed(2),
    outcome === 'as wanted' ? '' : outcome,
    [...details, ...unseen(conditions)].join('; '),
  ]);
  print([file, ...tableLines(columns, rows)].join('\n'));
  print(`${summary.cases} cases: ${summary.as_wanted} as wanted, ${summary.differ} differ, ${summary.wait} wait\n`);
  return summary.differ;
}

/** What no look from outside is known for is said, not passed over. */
function unseen(conditions: NonNullable<Line['conditions']>): readonly string[] {
  return conditions.filter(({ holds }) => holds === undefined).map(({ condition }) => `not looked at: ${condition}`);
}

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        only: { type: 'string' },
        cold: { type: 'boolean', default: false },
        load: { type: 'string' },
      },
    });
    if (parsed.positionals.length === 0) throw new TypeError('name a file of cases');
    if (!/^\d{0,3}$/.test(parsed.values.load ?? '')) throw new TypeError('--load takes a number of processors');
    return parsed;
  } catch (error) {
    return refuse(error, 'npm run cases -- FILE… [--json] [--only ID,…] [--cold] [--load N]');
  }
}

function readCases(file: string): readonly Case[] {
  const only = values.only?.split(',');
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.flatMap((line, at): Case[] => {
      if (line.trim() === '') return [];
      try {
        const { id, run } = readLine(line);
        return only === undefined || only.includes(id) ? [run] : [];
      } catch (error) {
        throw new TypeError(`line ${at + 1}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  } catch (error) {
    return refuse(error, file);
  }
}

function readLine(line: string): { readonly id: string; readonly run: Case } {
  if (/^\s*\{[^{}]*"area":\s*"text"/.test(line)) {
    const bank = readTextCase(line);
    return { id: bank.id, run: (judge) => runTextCase(bank, judge.evaluate) };
  }
  const bank = readCase(line);
  const run: Case = async (judge) => {
    const outcome = await runCase(bank, judge);
    return { ...outcome, wanted: outcome.wanted.join(' '), got: outcome.got.join(' ') };
  };
  return { id: bank.id, run };
}

async function openJudge(): Promise<CaseJudge> {
  const languages = await detectLanguages();
  if (!languages.some(({ language }) => language === 'python')) {
    return refuse(new Error('python3 is needed'), 'the judge');
  }
  const [cold, warm] = WAYS;
  const sandboxOf = (values.cold ? cold : warm)?.[1];
  if (sandboxOf === undefined) throw new TypeError('no way to run a test');
  return openCaseJudge(sandboxOf(...languages), languages);
}

function keepBusy(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function refuse(error: unknown, where: string): never {
  process.stderr.write(`cases: ${where}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
