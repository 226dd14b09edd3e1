/**
 * Makes rollout records (tidemark.rollouts.v1) of real completions in the form of CodeGen's HumanEval samples.
 *
 *   node tools/proofs/codegen-groups.mjs SAMPLES.jsonl[.gz] GRADED.csv > groups.jsonl
 *
 * Row i of SAMPLES holds the completions of row i of GRADED, whose task_id names the problem. Each problem's attempts
 * become groups of `--group-size` (default 8; the last one is smaller), with ids drawn from the file's hash, the row and
 * the index of the first attempt. `--target`, `--checkpoint`, `--namespace`, `--problems N` (the first N rows alone).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: 'string', default: 'codegen-16b-mono' },
    checkpoint: { type: 'string', default: 'base' },
    namespace: { type: 'string', default: 'humaneval' },
    'group-size': { type: 'string', default: '8' },
    problems: { type: 'string', default: 'Infinity' },
  },
});
const [samplesFile, gradedFile] = positionals;
if (gradedFile === undefined) {
  process.stderr.write(
    'usage: codegen-groups.mjs SAMPLES.jsonl[.gz] GRADED.csv [--target T] [--checkpoint C] [--problems N]\n',
  );
  process.exit(2);
}

const bytes = readFileSync(samplesFile);
const fileHash = createHash('sha256').update(bytes).digest('hex');
const rows = (samplesFile.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split(/\r?\n/).filter(Boolean);
const taskIds = readFileSync(gradedFile, 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1)
  .map((line) => line.split(',')[0]);
if (rows.length !== taskIds.length) throw new Error(`${rows.length} rows of samples, ${taskIds.length} graded`);

const groupSize = Number(values['group-size']);
for (const [row, line] of rows.slice(0, Number(values.problems)).entries()) {
  const { samples } = JSON.parse(line);
  for (let first = 0; first < samples.length; first += groupSize) {
    const group = createHash('sha256').update(`${fileHash}\0${row}\0${first}`).digest('hex');
    const attempts = samples.slice(first, first + groupSize).map((output) => ({ output }));
    const record = {
      format: 'tidemark.rollouts.v1',
      group,
      target: values.target,
      checkpoint: values.checkpoint,
      namespace: values.namespace,
      id: taskIds[row],
      purpose: 'train',
      attempts,
    };
    process.stdout.write(`${JSON.stringify(record)}\n`);
  }
}
