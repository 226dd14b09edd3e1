import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
/** One row a target, a checkpoint, a benchmark, an installation: bounded by what they are. */
const FEW = new Set([
  'benchmark',
  'benchmark_epoch',
  'benchmarks',
  'calibrations',
  'checkpoint',
  'checkpoints',
  'closed_window',
  'problem_version',
  'target',
  'target_count',
  'target_version',
  'targets',
]);

it('docs/operations.md says of every table how long it is kept', () => {
  const listed = execFileSync('git', ['ls-files', ':(glob)services/*/src/**', 'libs/stage-runtime/src'], { cwd: root });
  const sources = listed
    .toString()
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|\/testing\//.test(path));
  const tables = sources.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(
      (m) => m[1] ?? '',
    ),
  );
  const doc = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const retention = doc.slice(doc.indexOf('## Retention'));
  const missing = [...new Set(tables)].filter((table) => !FEW.has(table) && !retention.includes(`\`${table}\``));
  expect(tables.length).toBeGreaterThan(80);
  expect(missing).toEqual([]);
});
