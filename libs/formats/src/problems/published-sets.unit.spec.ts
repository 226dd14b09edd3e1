import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../lines.ts';
import { sharedFile } from '../testing/shared.ts';
import { entryPointOf } from './mbpp.ts';
import { parseProblem } from './parse-problem.ts';

const humaneval = sharedFile('data/humaneval/HumanEval.jsonl.gz');
const mbpp = sharedFile('data/mbpp/mbpp.jsonl');

function parseAll(bytes: Uint8Array) {
  return [...splitLines(bytes)].map((line) => {
    const parsed = parseProblem(line.bytes);
    if (parsed.kind === 'faulty') throw new Error(`line ${line.line}: ${JSON.stringify(parsed.faults)}`);
    return parsed;
  });
}

describe.skipIf(!humaneval)('HumanEval as published', () => {
  it('is recognised and read, all 164', () => {
    const all = parseAll(gunzipSync(readFileSync(humaneval as string)));
    expect(all).toHaveLength(164);
    expect(new Set(all.map((one) => one.problemId)).size).toBe(164);
    for (const { record, warnings } of all) {
      expect(warnings).toEqual([]);
      expect(record.format).toBe('humaneval');
      expect(record.references[0]?.code.startsWith(record.starterCode)).toBe(true);
      expect(record.tests?.form === 'assert' && record.tests.cases[0]?.code).toContain(`check(${record.entryPoint})`);
    }
  });
});

describe.skipIf(!mbpp)('MBPP as published', () => {
  it('is recognised and read, all 974', () => {
    const all = parseAll(readFileSync(mbpp as string));
    expect(all).toHaveLength(974);
    expect(new Set(all.map((one) => one.problemId)).size).toBe(974);
    const cases = all.flatMap((one) => (one.record.tests?.form === 'assert' ? one.record.tests.cases : []));
    expect(cases.filter((one) => one.example)).toHaveLength(974 * 3);
    expect(cases.filter((one) => !one.example)).toHaveLength(8 + 2 + 3 * 2);
    expect(all.filter((one) => one.record.entryPoint === '')).toEqual([]);
    const prepared = all.filter((one) => one.record.tests?.form === 'assert' && one.record.tests.preparation !== '');
    expect(prepared.map((one) => one.record.recordId)).toEqual(['367', '927']);
  });
});

describe('the entry point of MBPP', () => {
  it.each([
    ['the one function', 'def f(x):\n  return x', ['assert f(1) == 1', 'assert f(2)==2'], 'f'],
    [
      'the one that all tests call',
      'def g(x):\n  pass\ndef f(x):\n  return g(x)',
      ['assert f(1) == 1', 'assert g(f(1)) == 1'],
      'f',
    ],
    ['no class that arguments are made of', 'class P:\n  pass\ndef f(p):\n  pass', ['assert f(P()) == 1'], 'f'],
    ['a class where no function is called', 'class P:\n  pass', ['assert P().x == 1'], 'P'],
    ['open when two are called by all', 'def g():\n  pass\ndef f(x):\n  pass', ['assert f(g()) == 1'], ''],
    ['open when none is', 'x = 1', ['assert f(1)'], ''],
    ['open without tests', 'def f(): pass', [], ''],
  ])('is %s', (_, code, tests, found) => {
    expect(entryPointOf(code, tests)).toBe(found);
  });

  it('takes linear time over a megabyte of letters or blanks', () => {
    const hostile = [`assert ${'f'.repeat(1_000_000)}`, `assert f${' '.repeat(1_000_000)}`];
    expect(entryPointOf(`def f(): pass\n${'f'.repeat(1_000_000)}`, hostile)).toBe('');
  });
});
