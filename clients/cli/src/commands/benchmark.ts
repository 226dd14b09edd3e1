import { benchmarksSchema } from '@tidemark/http-contract';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Run } from '../context.ts';
import { plural, tableLines } from '../format/table.ts';

export function registerBenchmark(program: Command, run: Run): void {
  const benchmark = program.command('benchmark').description('sets of problems that must not be trained on');
  benchmark
    .command('put')
    .description('add a set, or put a new one in its place')
    .argument('<file>', 'JSON Lines with id and statement (or as HumanEval and MBPP have them), also gzipped')
    .option('--name <name>', "its name (default: the file's, without endings)")
    .option('--threshold <share>', 'share of common 16-grams above which a problem is rejected (default .22)', share)
    .action((file: string, { name, threshold }: { name?: string; threshold?: number }) =>
      run(async ({ client, output }) => {
        const called = name ?? nameOf(file);
        const change = await client.json(`/v1/benchmarks/${encodeURIComponent(called)}`, {
          method: 'PUT',
          query: { threshold },
          stream: { type: 'application/x-ndjson', content: createReadStream(file) },
          headers: file.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {},
        });
        if (output.json) await output.object(change);
        else
          await output.line(
            `${called}: ${plural(Number(change.problems), 'problem')}, ${String(change.outcome)} (version ${String(change.version)})`,
          );
        return undefined;
      }),
    );
  benchmark
    .command('list')
    .description('the sets that problems are checked against')
    .action(() =>
      run(async ({ client, output }) => {
        const { benchmarks } = await client.answer(benchmarksSchema, '/v1/benchmarks');
        if (output.json) {
          for (const set of benchmarks) await output.object(set);
          return undefined;
        }
        const rows = benchmarks.map((set) => [String(set.benchmark), String(set.version), String(set.problems)]);
        const lines = tableLines(
          [{ heading: 'benchmark' }, { heading: 'version' }, { heading: 'problems', align: 'right' }],
          rows,
        );
        for (const line of lines.length > 0 ? lines : ['Problems are checked against no benchmark.'])
          await output.line(line);
        return undefined;
      }),
    );
  benchmark
    .command('remove')
    .description('check problems against a set no more')
    .argument('<name>')
    .action((name: string) =>
      run(async ({ client, output }) => {
        const change = await client.json(`/v1/benchmarks/${encodeURIComponent(name)}`, { method: 'DELETE' });
        if (output.json) await output.object(change);
        else await output.line(`${name}: removed`);
        return undefined;
      }),
    );
}

/** `data/HumanEval.jsonl.gz` is called `humaneval`. */
const nameOf = (file: string): string =>
  basename(file)
    .toLowerCase()
    .replace(/(\.(jsonl|json|ndjson|gz))+$/, '');

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It is a share above 0, up to 1.');
  return value;
}
