import { problemIdOf, problemIdOfContent } from '@tidemark/identity';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifyProblem } from './identify-problem.ts';
import { parseProblem } from './parse-problem.ts';

const humanEval = { task_id: 'HumanEval/0', prompt: 'p', entry_point: 'f', canonical_solution: 's', test: 't' };
const mbpp = { task_id: 2, text: 't', code: 'def f(): pass', test_list: ['assert f()'] };
const own = { format: 'tidemark.problem.v1', namespace: 'acme', id: 'sum-1', statement: 'x' };

const idOf = (record: object | string, format = '', namespace = '') =>
  identifyProblem(
    typeof record === 'string' ? record : JSON.stringify(record),
    format,
    namespace === '' ? {} : { namespace },
  ).identity.problemId;

describe('the identity of a record', () => {
  it.each<[string, object | string, string, string, string, string]>([
    ['namespace and id of the record', own, '', '', 'acme', 'sum-1'],
    ['a numeric id', { ...own, id: 12 }, '', '', 'acme', '12'],
    [
      'every digit of an id',
      '{"format":"tidemark","namespace":"a","id":12345678901234567890}',
      '',
      '',
      'a',
      '12345678901234567890',
    ],
    ['the namespace of the submitter', { statement: 'x', id: 'a' }, 'tidemark.problem.v1', 'acme', 'acme', 'a'],
    ['the namespace of the record before it', own, '', 'other', 'acme', 'sum-1'],
    ['a published set', humanEval, '', '', 'humaneval', 'HumanEval/0'],
    ['a published set without tests', { ...humanEval, test: undefined }, '', '', 'humaneval', 'HumanEval/0'],
    ['a published set without code', { ...mbpp, code: undefined }, '', '', 'mbpp', '2'],
    ['a published set under another namespace', mbpp, '', 'mine', 'mine', '2'],
    [
      'a published set with fields that it does not have',
      { ...humanEval, id: 'x', namespace: 'y' },
      '',
      '',
      'humaneval',
      'HumanEval/0',
    ],
    ['a faulty record of a known set', { task_id: 'HumanEval/1' }, 'humaneval', '', 'humaneval', 'HumanEval/1'],
  ])('is told by %s', (_, record, format, namespace, expectedNamespace, expectedId) => {
    expect(idOf(record, format, namespace)).toBe(problemIdOf(expectedNamespace, expectedId));
  });

  it.each<[string, object | string, string]>([
    ['it has no id', { format: 'tidemark.problem.v1', namespace: 'acme', statement: 'x' }, ''],
    ['nobody names a namespace', { id: 'a', statement: 'x' }, 'tidemark.problem.v1'],
    ['it is of no known format', { what: 'ever' }, ''],
    ['a key stands twice', '{"format":"tidemark","namespace":"acme","id":"a","id":"b"}', ''],
    ['it is not JSON', '{"namespace":"acme","id":"a"', ''],
  ])('is its content where %s', (_, record, format) => {
    const text = typeof record === 'string' ? record : JSON.stringify(record);
    expect(idOf(text, format)).toBe(problemIdOfContent(text));
  });

  it('is the same for the door, for a record that is read, and for one that is not', () => {
    const fields = fc.record(
      {
        format: fc.constantFrom('tidemark', 'humaneval', 'mbpp', 'other', ''),
        namespace: fc.constantFrom('', 'a', 3),
        id: fc.constantFrom('', 'x', 7, 1.5, null),
        task_id: fc.constantFrom('', 'T/1', 9, [1]),
        statement: fc.constantFrom('s', 1),
        prompt: fc.constantFrom('p', 1),
        text: fc.constant('t'),
        code: fc.constant('c'),
        test: fc.constant('t'),
        test_list: fc.constantFrom([], 'no list'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fields,
        fc.constantFrom('', 'mbpp', 'tidemark'),
        fc.constantFrom('', 'ours'),
        (record, format, ns) => {
          const text = JSON.stringify(record);
          const parsed = parseProblem(text, format, ns === '' ? {} : { namespace: ns });
          expect(parsed.problemId).toBe(idOf(text, format, ns));
          if (parsed.kind === 'faulty') return;
          const { namespace, recordId } = parsed.record;
          expect(parsed.problemId).toBe(
            recordId === undefined ? problemIdOfContent(text) : problemIdOf(namespace, recordId),
          );
        },
      ),
    );
  });
});
