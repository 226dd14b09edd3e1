import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Bench } from './bench.ts';

/** `measure-one.ts FILE`: measures one bench in this process and writes `bench/results/<name>.json`. */
const file = resolve(process.argv[2] ?? '');
const name = basename(file, '.bench.ts');
const { bench } = (await import(file)) as { bench: Bench };
const values = await bench.measure();
const result = {
  bench: name,
  asks: bench.asks,
  values,
  machine: {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
  },
  commit: commit(),
  measuredAt: new Date().toISOString(),
};
const results = join(import.meta.dirname, 'results');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
process.stdout.write(`${name}: ${bench.asks}\n`);
for (const [key, value] of Object.entries(values)) {
  const text = typeof value === 'object' ? `${value.median} (${value.least} to ${value.most} of ${value.runs})` : value;
  process.stdout.write(`  ${key}: ${text}\n`);
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    // What a former bench of this run wrote is no change of what is measured.
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--', ':!bench/results') === '' ? '' : ' with changes'}`;
  } catch {
    return 'no repository';
  }
}
