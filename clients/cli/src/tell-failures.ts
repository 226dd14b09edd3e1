import { submissionsSchema } from '@tidemark/http-contract';
import type { CommandContext } from './context.ts';
import { missingText, turnedAwayText } from './format/remarks.ts';
import { reasonInWords, stateInWords } from './format/reasons.ts';
import { show } from './format/table.ts';
import type { Json } from './gateway-client.ts';
import type { UploadResult } from './upload-file.ts';

/** The gateway answers at most this many of each kind. */
const MOST = 1_000;

/**
 * Says which records of an upload did not come through, and why. What the door refused was said before.
 *
 * @returns how many
 */
export async function tellFailures(
  { client, output }: CommandContext,
  { file, upload }: UploadResult,
): Promise<number> {
  const query = { upload, failed: true, limit: MOST };
  const found = await client.answer(submissionsSchema, '/v1/submissions', { query });
  const groupLines = new Set(found.groups.map(({ line }) => line));
  const letters = found.dead_letters.filter(({ source_record }) => !groupLines.has(source_record));
  const failures = [
    ...found.problems.map((problem) => ({ ...problem, text: problemText(problem) })),
    ...found.groups.map((group) => ({ ...group, text: groupText(group) })),
    ...letters.map((letter) => ({ ...letter, line: letter.source_record, text: letterText(letter) })),
  ];
  for (const { text, ...failure } of failures) {
    if (output.json) await output.object({ file, outcome: 'failed', ...failure });
    else output.note(`${file}:${show((failure as Json).line)}: ${text}`);
  }
  const full = [found.problems, found.groups, found.dead_letters].some((list) => list.length === MOST);
  if (full && !output.json) output.note(`${file}: and more; tidemark problems --file ${file}`);
  return failures.length;
}

/** `rejected by execute: reference failed. Its 2 solutions fail a test. (tidemark explain 3f…)` */
export function problemText(problem: Json): string {
  const state = show(problem.state);
  const reason = reasonInWords(state, show(problem.reason));
  if (state === 'ready') return `ready ${reasonInWords(state, problem.held_out === true ? 'held_out' : 'train')}`;
  const what =
    state === 'waiting' ? `waiting: ${reason}` : `${stateInWords(state)} by ${show(problem.stage)}: ${reason}`;
  return `${sentence(what)}${show(problem.message) === '' ? '' : ` ${sentence(show(problem.message))}`}`;
}

/** Where a group of attempts stands. */
export function groupText({ state, reason, message, waits_for, group, problem_id, turned_away }: Json): string {
  const name = `group ${show(group)}`;
  if (typeof turned_away === 'object' && turned_away !== null && state !== 'dead_lettered') {
    const where = state === 'graded' ? 'is graded' : 'waits';
    return `${name} ${where}, but ${turnedAwayText(problem_id, turned_away as Json)}`;
  }
  if (state === 'waiting') return `${name} waits: ${missingText(waits_for as Json)}`;
  if (state === 'dead_lettered')
    return `${name} does not count: ${show(reason).replaceAll('_', ' ')}. ${sentence(show(message))}`;
  return `${name} is ${state === 'graded' ? 'graded' : 'on its way'}`;
}

export function letterText({ service, error_code, error_message }: Json): string {
  return `laid aside by ${show(service)}: ${show(error_code).replaceAll('_', ' ')}. ${sentence(show(error_message))}`;
}

const sentence = (text: string): string => (text === '' || /[.!?…]$/.test(text) ? text : `${text}.`);
