import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from './testing/build.ts';

const root = resolve(import.meta.dirname, '../../..');
const data = join(process.env.TIDEMARK_SHARED ?? resolve(root, '../shared'), 'data');
const absent = !existsSync(data);
if (absent) process.stderr.write(`SKIPPED: the completions are not here (${data}; TIDEMARK_SHARED names the folder)\n`);

const MINUTE_MS = 60_000;
const PROBLEMS = 5;
const samples = join(data, 'humaneval-codegen16b/samples.jsonl.gz');
const graded = join(data, 'humaneval-codegen16b/graded.csv');

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The proofs on 16,400 completions, on the first problems alone. */
describe.skipIf(absent)('real completions of a real model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-codegen-'));
  // Run by root, PostgreSQL is another user, who has to get in.
  chmodSync(folder, 0o755);
  const problems = join(folder, 'problems.jsonl');
  const groups = join(folder, 'groups.jsonl');

  const script = (name: string, args: readonly string[], input = ''): string =>
    execFileSync(process.execPath, [join(root, 'tools/proofs', name), ...args], {
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  const run = (name: string, ...args: string[]): string => {
    script('codegen-run.mjs', [problems, groups, '--out', join(folder, name), ...args]);
    return readFileSync(join(folder, name, 'projection.ndjson'), 'utf8');
  };

  beforeAll(() => {
    build(root);
    const made = script('codegen-groups.mjs', [samples, graded, '--problems', String(PROBLEMS)]);
    writeFileSync(groups, made);
    const wanted = new Set(jsonLines(made).map(({ id }) => id));
    const published = gunzipSync(readFileSync(join(data, 'humaneval/HumanEval.jsonl.gz'))).toString('utf8');
    const kept = jsonLines(published).filter(({ task_id }) => wanted.has(task_id));
    writeFileSync(problems, kept.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }, 5 * MINUTE_MS);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'get the verdicts of the published list, and a recount from the topics agrees with every posterior and bin',
    () => {
      run('unharmed');
      const dump = join(folder, 'unharmed');
      const verdicts = readFileSync(join(dump, 'rollouts.graded.v1.ndjson'), 'utf8');
      // Each ends with 1, which throws here, on any difference.
      script('codegen-check.mjs', [samples, graded, '--problems', String(PROBLEMS)], verdicts);
      const topics = readdirSync(dump)
        .filter((name) => name.endsWith('.v1.ndjson'))
        .map((name) => join(dump, name));
      const recount = execFileSync('python3', [join(root, 'tools/proofs/recount.py'), ...topics], { encoding: 'utf8' });
      expect(recount).toContain(`${PROBLEMS} estimates compared`);
    },
    10 * MINUTE_MS,
  );

  it(
    'end in the same states, evidence, bins and curated topic when the processes are killed on the way',
    () => {
      const killed = run('killed', '--kills', '2', '--seed', '11', '--kill-every-ms', '1500');
      expect(killed).toBe(readFileSync(join(folder, 'unharmed/projection.ndjson'), 'utf8'));
    },
    10 * MINUTE_MS,
  );
});
