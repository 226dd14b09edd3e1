/**
 * Makes the little work on which tools/faults/run.mjs tries its faults, of the first rows of CodeGen's graded completions
 * of HumanEval.
 *
 *   node tools/faults/work.mjs HumanEval.jsonl.gz SAMPLES.jsonl.gz GRADED.csv --out FOLDER [--problems 6] [--groups 6]
 *
 * Writes FOLDER/problems.jsonl and FOLDER/groups.jsonl. The suites of every second problem are made so large (by comments)
 * that they lie in the blob store.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    problems: { type: 'string', default: '6' },
    groups: { type: 'string', default: '6' },
  },
});
const [published, samples, graded] = positionals;
if (graded === undefined || values.out === undefined) {
  process.stderr.write('usage: work.mjs HUMANEVAL SAMPLES GRADED --out FOLDER [--problems 6] [--groups 6]\n');
  process.exit(2);
}
const script = resolve(import.meta.dirname, '../proofs/codegen-groups.mjs');
const made = execFileSync(process.execPath, [script, samples, graded, '--problems', values.problems], {
  encoding: 'utf8',
  maxBuffer: 1 << 28,
});
const perProblem = new Map();
const groups = lines(made).filter((line) => {
  const { id } = JSON.parse(line);
  perProblem.set(id, (perProblem.get(id) ?? 0) + 1);
  return perProblem.get(id) <= Number(values.groups);
});
const bytes = readFileSync(published);
const problems = lines((published.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
  .map((line) => JSON.parse(line))
  .filter(({ task_id }) => perProblem.has(task_id))
  .map((record, index) =>
    index % 2 === 0 ? record : { ...record, test: `${record.test}\n${comments(record.task_id)}` },
  );
mkdirSync(values.out, { recursive: true });
write(
  'problems.jsonl',
  problems.map((record) => JSON.stringify(record)),
);
// One of each problem in turn, so that each share of the work is of all of them.
const turn = new Map();
const inTurn = groups
  .map((line) => {
    const { id } = JSON.parse(line);
    turn.set(id, (turn.get(id) ?? 0) + 1);
    return { line, at: turn.get(id) };
  })
  .sort((a, b) => a.at - b.at)
  .map(({ line }) => line);
write('groups.jsonl', inTurn);

function lines(text) {
  return text.split(/\r?\n/).filter(Boolean);
}

function write(name, content) {
  writeFileSync(join(values.out, name), content.map((line) => `${line}\n`).join(''));
}

/** 32 KiB that don't compress away, the same each time. */
function comments(seed) {
  return Array.from(
    { length: 500 },
    (_, index) => `# ${createHash('sha256').update(`${seed} ${index}`).digest('hex')}`,
  ).join('\n');
}
