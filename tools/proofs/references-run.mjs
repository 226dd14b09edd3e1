/**
 * Problem files through the whole stream: every record in exactly one visible state, counted by state and reason.
 *
 *   node tools/proofs/references-run.mjs --out FOLDER FILE…
 *
 * Starts a Tidemark of its own under FOLDER, publishes the files, waits until all is quiet, prints the counts, and every
 * record that a reference run rejected with its evidence. Fails when a record has no state, or more than one.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { check, TidemarkProcess } from './tidemark-process.mjs';

const { values, positionals: files } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
if (values.out === undefined || files.length === 0) {
  process.stderr.write('usage: references-run.mjs --out FOLDER FILE…\n');
  process.exit(2);
}
const out = resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'data'), { recursive: true });
const tidemark = await TidemarkProcess.create(join(out, 'data'));
const startedAt = Date.now();
await tidemark.start();
const records = files.reduce((sum, file) => sum + linesOf(file), 0);
check(tidemark.run('ingest', ...files), 'ingest');
const status = await tidemark.untilQuiet();
const problems = [];
for (let cursor; ; ) {
  const query = new URLSearchParams({ limit: '1000', ...(cursor && { cursor }) });
  const page = await (await fetch(`${tidemark.url}/v1/problems?${query}`)).json();
  problems.push(...page.problems);
  cursor = page.next;
  if (!cursor) break;
}
writeFileSync(join(out, 'problems.json'), JSON.stringify(problems, null, 1));
const counts = new Map();
for (const { state, stage, reason } of problems) {
  const key = [state, stage, reason].filter(Boolean).join(' · ');
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
for (const [key, count] of [...counts].sort()) console.log(`${String(count).padStart(6)}  ${key}`);
for (const { problem_id, state, stage } of problems) {
  if (state !== 'rejected' || stage !== 'execute') continue;
  console.log(`\n${tidemark.run('explain', problem_id).stdout.trim()}`);
}
const distinct = new Set(problems.map(({ problem_id }) => problem_id)).size;
const counted = status.funnel.reduce((sum, row) => sum + row.problems, 0);
const unsettled = problems.filter(({ state }) => !['ready', 'rejected', 'withdrawn'].includes(state)).length;
const whole = distinct === records && problems.length === records && counted === records && unsettled === 0;
console.log(
  `\n${records} records, ${distinct} problems listed, ${counted} in the funnel: ${whole ? 'each in one state' : 'NOT each in one state'}`,
);
console.log(`${Math.round((Date.now() - startedAt) / 1000)} s`);
await tidemark.stop();
process.exit(whole ? 0 : 1);

function linesOf(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').filter((line) => line.trim() !== '').length;
}
