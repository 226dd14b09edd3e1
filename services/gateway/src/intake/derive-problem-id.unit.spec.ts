import { parseProblem } from '@tidemark/formats';
import { describe, expect, it } from 'vitest';
import { deriveProblemId } from './derive-problem-id.ts';

const humanEval = { task_id: 'HumanEval/0', prompt: 'p', entry_point: 'f', canonical_solution: 's', test: 't' };
const mbpp = { task_id: 2, text: 't', code: 'def f(): pass', test_list: ['assert f()'] };
const own = { format: 'tidemark.problem.v1', namespace: 'acme', id: 'sum-1', statement: 'x' };

describe('the problem id of an answer', () => {
  it.each([
    ['namespace and id of the record', own, '', ''],
    ['a numeric id', { ...own, id: 12 }, '', ''],
    ['the namespace of the upload', { statement: 'x', id: 'a' }, 'tidemark.problem.v1', 'acme'],
    ['the namespace of the record before that of the upload', own, '', 'other'],
    ['a published set', humanEval, '', ''],
    ['a published set by number', mbpp, '', ''],
    ['a published set under another namespace', mbpp, '', 'mine'],
    ['a published set named by the upload', humanEval, 'humaneval', ''],
    ['a faulty record of a known set', { task_id: 'HumanEval/1' }, 'humaneval', ''],
    ['content alone', { format: 'tidemark.problem.v1', namespace: 'acme', statement: 'x' }, '', ''],
    ['a record of no known format', { what: 'ever' }, '', ''],
    ['an id without a namespace', { id: 'a', statement: 'x' }, 'tidemark.problem.v1', ''],
  ])('is the one that ingest gives, by %s', (_, record, format, namespace) => {
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    const given = parseProblem(bytes, format, namespace === '' ? {} : { namespace });
    expect(deriveProblemId(record, bytes, { format, namespace })).toBe(given.problemId);
  });

  it('is left out where a number may have lost digits', () => {
    const bytes = new TextEncoder().encode('{"namespace":"acme","id":12345678901234567890}');
    expect(
      deriveProblemId(JSON.parse(new TextDecoder().decode(bytes)) as object as never, bytes, {
        format: '',
        namespace: '',
      }),
    ).toBeUndefined();
  });
});
