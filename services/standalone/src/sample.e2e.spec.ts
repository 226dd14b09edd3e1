import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeWithKafka } from '@tidemark/testing-servers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from './testing/build.ts';

const root = resolve(import.meta.dirname, '../../..');
const MINUTE_MS = 60_000;

describeWithKafka(
  'the sample, end to end',
  (kafka) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-sample-'));
    // Run by root, PostgreSQL is another user, who has to get in.
    chmodSync(folder, 0o755);

    beforeAll(() => build(root), 5 * MINUTE_MS);
    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    /** Runs it as its users would, in a process of its own. */
    const run = (name: string, args: readonly string[]): string => {
      const script = join(root, 'tools/proofs/sample-run.mjs');
      execFileSync(process.execPath, [script, '--out', join(folder, name), ...args], { cwd: root, stdio: 'inherit' });
      return readFileSync(join(folder, name, 'projection.ndjson'), 'utf8');
    };

    const linesOf = (name: string, file: string): unknown[] =>
      readFileSync(join(folder, name, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);

    /** Sum of the series of a metric that bear a label, over all processes of a run. */
    const metric = (name: string, of: string, label: string): number =>
      readFileSync(join(folder, of, 'metrics.txt'), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) && line.includes(label))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);

    it(
      'ends in the same states, evidence, bins and curated topics in one process on PostgreSQL and as a cluster on Apache Kafka',
      () => {
        const embedded = run('embedded', []);
        expect(run('cluster', ['--cluster', '--kafka', kafka.brokers.join(',')])).toBe(embedded);
        const kinds = new Set(
          embedded
            .trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as { kind: string }).kind),
        );
        expect([...kinds]).toEqual(
          expect.arrayContaining(['status', 'unique', 'verified', 'group', 'difficulty', 'curated']),
        );
      },
      20 * MINUTE_MS,
    );

    it.each([
      { of: 'embedded', processes: 9 },
      { of: 'cluster', processes: 10 },
    ])('is told by the metrics of all services as it is told by their topics ($of)', ({ of, processes }) => {
      const rows = linesOf(of, 'projection.ndjson') as { kind: string }[];
      const graded = linesOf(of, 'rollouts.graded.v1.ndjson') as { value: { verdicts: { verdict: string }[] } }[];
      const verdicts = graded.flatMap(({ value }) => value.verdicts.map(({ verdict }) => verdict));
      const passed = verdicts.filter((verdict) => verdict === 'VERDICT_ACCEPTED').length;
      expect(metric('tidemark_verdicts_total', of, '')).toBe(verdicts.length);
      expect(metric('tidemark_verdicts_total', of, 'verdict="accepted"')).toBe(passed);
      const letters = rows.filter(({ kind }) => kind === 'dead letter').length;
      expect(metric('tidemark_dead_letters_total', of, '')).toBe(letters);
      expect(metric('tidemark_consumer_records_total', of, 'topic="rollouts.graded.v1"')).toBeGreaterThan(0);
      for (const name of ['consumer_lag_records', 'outbox_events', 'jobs_open', 'curated_staleness_seconds']) {
        expect(metric(`tidemark_${name}`, of, ''), name).toBe(0);
      }
      expect(metric('tidemark_ready', of, '')).toBe(processes);
    });
  },
  { own: true },
);
