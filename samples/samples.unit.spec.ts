import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseProblem, parseRollouts, splitLines } from '@tidemark/formats';
import { gramsOf, sharedGrams, similarity } from '@tidemark/contamination';
import { describe, expect, it } from 'vitest';

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(readFileSync(join(here, 'sample.json'), 'utf8')) as {
  problems: { file: string; namespace: string; originKind: 'unknown' }[];
  benchmarks: { file: string; name: string }[];
  targets: { target: string; checkpoints: { checkpoint: string }[] }[];
  rollouts: { file: string }[];
};
const linesOf = (file: string) => [...splitLines(readFileSync(join(here, file)))];
const problemsOf = ({ file, namespace, originKind }: (typeof manifest.problems)[number]) =>
  linesOf(file).map((line) => ({ line: line.line, parsed: parseProblem(line.bytes, '', { namespace, originKind }) }));
const known = new Map(
  manifest.problems.flatMap((entry) => problemsOf(entry).map(({ parsed }) => [parsed.problemId as string, parsed])),
);

describe('the sample', () => {
  it('names every file that there is, and stays small', () => {
    const named = [...manifest.problems, ...manifest.benchmarks, ...manifest.rollouts].map((entry) => entry.file);
    const there = readdirSync(here).filter((file) => file.endsWith('.jsonl'));
    expect(there.sort()).toEqual([...new Set(named)].sort());
    expect(there.reduce((bytes, file) => bytes + statSync(join(here, file)).size, 0)).toBeLessThan(1_500_000);
  });

  it.each(manifest.problems.filter(({ file }) => file !== 'noise.jsonl'))(
    '$file can be read without a warning',
    (entry) => {
      for (const { line, parsed } of problemsOf(entry)) {
        expect(parsed, `${entry.file}:${line}`).toMatchObject({ kind: 'problem', warnings: [] });
        if (parsed.kind === 'problem') expect(parsed.record.origin.kind).toBe('unknown');
      }
    },
  );

  it('gives every problem an id of its own', () => {
    const count = manifest.problems.reduce((sum, entry) => sum + problemsOf(entry).length, 0);
    expect(known.size).toBe(count);
  });

  it('has noise of many kinds, and valid records between it', () => {
    const noise = manifest.problems.find(({ file }) => file === 'noise.jsonl');
    const parsed = noise === undefined ? [] : problemsOf(noise).map((record) => record.parsed);
    const codes = new Set(
      parsed.flatMap((record) => (record.kind === 'faulty' ? record.faults.map((f) => f.code) : [])),
    );
    expect(parsed.filter((record) => record.kind === 'problem')).toHaveLength(2);
    expect([...codes]).toEqual(
      expect.arrayContaining([
        'invalid_json',
        'missing_field',
        'wrong_type',
        'bad_value',
        'duplicate_key',
        'unknown_format',
        'bad_character',
      ]),
    );
  });

  it('has one problem that contains a benchmark problem, and no other that comes near', () => {
    const statementOf = (line: { bytes: Uint8Array }): string => {
      const parsed = parseProblem(line.bytes);
      return parsed.kind === 'problem' ? parsed.record.statement : '';
    };
    const benchmark = manifest.benchmarks
      .flatMap(({ file }) => linesOf(file))
      .map((line) => gramsOf(statementOf(line)));
    const overlaps = [...known.values()].flatMap((problem) => {
      if (problem.kind !== 'problem') return [];
      const grams = gramsOf(problem.record.statement);
      const most = Math.max(...benchmark.map((other) => similarity(sharedGrams(grams, other), grams.size, other.size)));
      return most > 0.22 ? [problem.record.recordId] : [];
    });
    expect(overlaps).toEqual(['contaminated/coast-guard']);
  });

  it.each(manifest.rollouts)('$file holds groups of declared targets at problems of the sample', ({ file }) => {
    const groups = new Set<string>();
    for (const line of linesOf(file)) {
      const parsed = parseRollouts(line.bytes, { fileSha256: 'f', record: line.record });
      expect(parsed.kind, `${file}:${line.line}`).toBe('group');
      if (parsed.kind !== 'group') continue;
      const { record } = parsed;
      expect(known.get(record.problemId)?.kind, `${file}:${line.line}`).toBe('problem');
      const target = manifest.targets.find((each) => each.target === record.target);
      expect(target?.checkpoints.map(({ checkpoint }) => checkpoint)).toContain(record.checkpoint);
      expect(record.attempts).toHaveLength(8);
      groups.add(record.groupId);
    }
    expect(groups.size).toBe(linesOf(file).length);
  });
});
