import type { Json } from '../gateway-client.ts';
import { show } from './table.ts';

/** Lines that say what lies aside, why, and what can be done. */
export const letterLines = (letter: Json): string[] =>
  linesOf(letter).map((line) => line.replace(/\p{Cc}/gu, '\uFFFD'));

/** What foreign clients wrote may hold what moves a terminal's cursor: lines are cleaned of it above. */
function linesOf(letter: Json): string[] {
  const record = (letter.record ?? null) as Json | null;
  const lines = [
    `${show(letter.id)} (${show(letter.state)})`,
    `  ${show(letter.service)} could not take a record of ${show(letter.topic)}: ${show(letter.error_code)}`,
    `  ${show(letter.error_message)}`,
    `  tried ${show(letter.attempts)}x, replayed ${show(letter.replays)}x, laid aside ${show(letter.dead_lettered_at)}`,
  ];
  if (letter.problem_id !== undefined) lines.push(`  problem ${show(letter.problem_id)}`);
  if (letter.source_file !== undefined)
    lines.push(`  ${show(letter.source_file)}, record ${show(letter.source_record)}`);
  if (letter.decided_by !== undefined) {
    lines.push(`  ${show(letter.state)} by ${show(letter.decided_by)}, ${show(letter.decided_at)}`);
  }
  if (record === null) {
    lines.push('', 'The record is no longer in the log.');
    return lines;
  }
  lines.push(
    '',
    `record ${show(letter.topic)}/${show(record.partition)} at offset ${show(record.offset)}, ${show(record.recorded_at)}`,
    `  key ${record.key === null ? '(none)' : show(record.key)}`,
  );
  for (const [name, value] of Object.entries(record.headers as Json)) lines.push(`  ${name}: ${show(value)}`);
  lines.push('');
  if (record.value_bytes === null) lines.push('A tombstone: it has no value.');
  else if (record.value === null) lines.push(`${show(record.value_bytes)} bytes that are no message of the topic.`);
  else lines.push(...JSON.stringify(record.value, null, 2).split('\n'));
  if (record.value_base64 !== undefined) lines.push('', show(record.value_base64));
  return lines;
}
