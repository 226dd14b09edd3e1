/**
 * Judges every program that comes with problem packages or records, and holds it against its label:
 *
 *   node tools/proofs/judge-packages.mjs PACKAGE... [--json FILE]      (folders, zips, files of one record; needs a build)
 *
 * A folder that is no package stands for the folders in it. Prints a table (Markdown) of packages, each program that
 * differs from its label with what it did, each package that is refused with the reason, and the totals. `--json` keeps
 * every event as NDJSON. Ends with code 1 when an environment verdict was given, since then nothing is proven; that
 * programs differ from their labels is told, and judged by whoever reads it.
 */
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { judgeOnTheSpot, UnusableProblemError } from '@tidemark/standalone';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
if (positionals.length === 0) {
  console.error('usage: node tools/proofs/judge-packages.mjs PACKAGE... [--json FILE]');
  process.exit(2);
}
if (values.json) writeFileSync(values.json, '');

const MARKERS = ['problem.yaml', 'problem.xml', 'info.toml'];
const packages = positionals.flatMap(packagesIn);
const rows = [];
const differing = [];
const refused = [];
let environment = 0;
for (const path of packages) {
  const row = { name: basename(path), tests: 0, limit: '', asWanted: 0, differs: 0, waits: 0, notes: [], seconds: 0 };
  const started = performance.now();
  try {
    for await (const event of judgeOnTheSpot({ problem: path, programs: [], stopAtFirst: true })) {
      if (values.json) appendFileSync(values.json, `${JSON.stringify({ package: row.name, ...event })}\n`);
      take(row, event);
    }
  } catch (error) {
    if (!(error instanceof UnusableProblemError)) throw error;
    refused.push(`${row.name}: ${error.message.replace(`${path}: `, '')}`);
    continue;
  }
  row.seconds = (performance.now() - started) / 1000;
  rows.push(row);
  console.error(`${row.name}: ${row.asWanted} as labelled, ${row.differs} not, ${row.waits} wait`);
}

console.log('| package | tests | CPU limit | as labelled | not | waiting for a language | s |');
console.log('|---|---|---|---|---|---|---|');
for (const { name, tests, limit, asWanted, differs, waits, seconds } of rows) {
  console.log(`| ${name} | ${tests} | ${limit} | ${asWanted} | ${differs} | ${waits} | ${seconds.toFixed(1)} |`);
}
const sum = (of) => rows.reduce((total, row) => total + of(row), 0);
console.log(
  `| all | ${sum((row) => row.tests)} | | ${sum((row) => row.asWanted)} | ${sum((row) => row.differs)} | ${sum((row) => row.waits)} | ${sum((row) => row.seconds).toFixed(1)} |`,
);
for (const { name, notes } of rows) for (const note of notes) console.log(`note: ${name}: ${note}`);
for (const line of differing) console.log(`differs: ${line}`);
for (const line of refused) console.log(`refused: ${line}`);
if (environment > 0) console.log(`${environment} programs got no verdict about themselves`);
process.exit(environment > 0 ? 1 : 0);

function take(row, event) {
  if (event.kind === 'problem') {
    row.tests = event.tests;
    row.limit = `${event.cpu_ms / 1000} s (${event.limit})`;
    row.notes = event.warnings.map(({ field, reason }) => `${field} ${reason}`);
    console.log(`${row.name}: judge ${event.judge}, ${event.languages.join(', ')}`);
  }
  if (event.kind !== 'submission') return;
  if (event.waits) row.waits += 1;
  else if (event.as_wanted) row.asWanted += 1;
  else {
    row.differs += 1;
    const { submission, wanted, verdict, test, max_cpu_ms, detail } = event;
    const words = detail.replaceAll(/\s+/g, ' ').slice(0, 120);
    differing.push(
      `${row.name} ${submission}: ${wanted.join(' or ') || 'accepted'} wanted, ${verdict}${test ? ` at ${test}` : ''} (${max_cpu_ms} ms at most) ${words}`,
    );
    if (/failure|overloaded|cancelled|no_tests|missing/.test(verdict)) environment += 1;
  }
}

function packagesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path);
  if (names.some((name) => MARKERS.includes(name))) return [path];
  return names.sort().flatMap((name) => (statSync(join(path, name)).isDirectory() ? packagesIn(join(path, name)) : []));
}
