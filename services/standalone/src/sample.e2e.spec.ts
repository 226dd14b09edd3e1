import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeWithKafka } from '@tidemark/testing-servers';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const MINUTE_MS = 60_000;

describeWithKafka(
  'the sample, end to end',
  (kafka) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-sample-'));
    // Run by root, PostgreSQL is another user, who has to get in.
    chmodSync(folder, 0o755);

    beforeAll(() => {
      execFileSync('npx', ['tsc', '-b'], { cwd: root, stdio: 'inherit' });
    }, 5 * MINUTE_MS);
    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    /** Runs it as its users would, in a process of its own. */
    const run = (name: string, args: readonly string[]): string => {
      const script = join(root, 'tools/proofs/sample-run.mjs');
      execFileSync(process.execPath, [script, '--out', join(folder, name), ...args], { cwd: root, stdio: 'inherit' });
      return readFileSync(join(folder, name, 'projection.ndjson'), 'utf8');
    };

    it(
      'ends in the same states, evidence, bins and curated topics on the log in PostgreSQL and on Apache Kafka',
      () => {
        const embedded = run('embedded', []);
        expect(run('kafka', ['--kafka', kafka.brokers.join(',')])).toBe(embedded);
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
      15 * MINUTE_MS,
    );
  },
  { own: true },
);
