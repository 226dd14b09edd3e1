import { problemIdOf } from '@tidemark/identity';
import { describe, expect, it } from 'vitest';
import { parseWithdrawal } from './parse-withdrawal.ts';

const parse = (record: object) => parseWithdrawal(new TextEncoder().encode(JSON.stringify(record)));

describe('tidemark.withdrawal.v1', () => {
  it('names the record, and perhaps why', () => {
    expect(parse({ format: 'tidemark.withdrawal.v1', namespace: 'own', id: 7, reason: 'It leaked.' })).toEqual({
      kind: 'withdrawal',
      problemId: problemIdOf('own', '7'),
      namespace: 'own',
      recordId: '7',
      reason: 'It leaked.',
    });
  });

  it('reports every fault', () => {
    const parsed = parse({ format: 'tidemark.problem.v1', reason: 3 });
    expect(parsed.kind === 'faulty' && parsed.faults.map((fault) => fault.field)).toEqual([
      'format',
      'namespace',
      'id',
      'reason',
    ]);
  });
});
