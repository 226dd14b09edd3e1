import { describe, expect, it } from 'vitest';
import { checkLine } from './check-line.ts';
import { readBenchmark } from './read-benchmark.ts';

const read = (...records: readonly unknown[]) =>
  readBenchmark(
    records.map((record, index) =>
      checkLine({ kind: 'line', number: index + 1, bytes: new TextEncoder().encode(JSON.stringify(record)) }, 1_000),
    ),
  );

describe('reading a benchmark', () => {
  it("takes its own form, HumanEval's and MBPP's, sorted by id", () => {
    const result = read({ id: 'b', statement: 'B' }, { task_id: 'a', prompt: 'A' }, { task_id: 3, text: 'C' });
    expect(result.kind === 'read' && result.set.problems.map(({ id, statement }) => [id, statement])).toEqual([
      ['3', 'C'],
      ['a', 'A'],
      ['b', 'B'],
    ]);
  });

  it('names every line at fault and takes nothing', () => {
    expect(read({ id: 'a', statement: 'A' }, { id: 'a', statement: 'B' }, { id: 'c' }, [])).toMatchObject({
      kind: 'faulty',
      faults: [
        { line: 2, field: 'id' },
        { line: 3, field: 'statement' },
        { line: 4, code: 'invalid_json' },
      ],
    });
  });
});
