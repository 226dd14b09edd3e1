import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const MINUTE_MS = 60_000;
const PROBLEMS = 3;
const GROUPS = 4;

/**
 * The short, seeded part of tools/faults, for every test run; docs/evidence.md has the whole, and names the specs that harm
 * single services on Apache Kafka.
 */
describe('a system that is harmed at work', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-faults-'));
  // Run by root, PostgreSQL is another user, who has to get in.
  chmodSync(folder, 0o755);
  const problems = join(folder, 'problems.jsonl');
  const groups = join(folder, 'groups.jsonl');

  beforeAll(() => {
    const lock = join(root, 'node_modules/.tidemark-build.lock');
    spawnSync('flock', [lock, 'npx', 'tsc', '-b'], { cwd: root, stdio: 'inherit' });
    const published = readFileSync(join(root, 'samples/humaneval.jsonl'), 'utf8').split('\n').slice(0, PROBLEMS);
    writeFileSync(problems, published.map((line) => `${line}\n`).join(''));
    writeFileSync(groups, Array.from({ length: GROUPS }, (_, turn) => groupsOf(published, turn)).join(''));
  }, 5 * MINUTE_MS);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'loses nothing and counts nothing twice',
    () => {
      const script = join(root, 'tools/faults/run.mjs');
      const options = ['--out', folder, '--fault', 'a little of each', '--alone', '--seed', '7'];
      const run = spawnSync(process.execPath, [script, problems, groups, ...options], { cwd: root, encoding: 'utf8' });
      // The invariants, looked at from outside, a recount among them.
      expect(`${run.stdout}${run.stderr}`).toMatch(/\| holds \|/);
      expect(run.status).toBe(0);
      expect(judged(join(folder, 'a-little-of-each/rollouts.graded.v1.ndjson'))).toEqual({
        groups: GROUPS * PROBLEMS,
        attempts: 3 * GROUPS * PROBLEMS,
        // One reference among three attempts, and two in every second group.
        accepted: 1.5 * GROUPS * PROBLEMS,
      });
    },
    10 * MINUTE_MS,
  );
});

/** One group a problem: attempts that pass and such that do not. */
function groupsOf(published: readonly string[], turn: number): string {
  const lines = published.map((line) => {
    const { task_id, canonical_solution } = JSON.parse(line) as { task_id: string; canonical_solution: string };
    const wrong = '    return None\n';
    const group = { group: `${task_id} ${turn}`, target: 'codegen-16b-mono', checkpoint: 'base', purpose: 'train' };
    const attempts = [canonical_solution, wrong, turn % 2 === 0 ? wrong : canonical_solution].map((output) => ({
      output,
    }));
    return JSON.stringify({ format: 'tidemark.rollouts.v1', namespace: 'humaneval', id: task_id, ...group, attempts });
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** What a dump of graded groups says, each group once. */
function judged(file: string): object {
  const verdicts = new Map<string, readonly { verdict: string }[]>();
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { value } = JSON.parse(line) as { value: { group: { groupId: string }; verdicts: { verdict: string }[] } };
    verdicts.set(value.group.groupId, value.verdicts);
  }
  const all = [...verdicts.values()].flat().map(({ verdict }) => verdict);
  const accepted = all.filter((verdict) => verdict === 'VERDICT_ACCEPTED').length;
  return { groups: verdicts.size, attempts: all.length, accepted };
}
