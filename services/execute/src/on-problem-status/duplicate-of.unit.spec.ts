import { create } from '@bufbuild/protobuf';
import { ProblemStatusSchema, StageOutcome } from '@tidemark/proto';
import { expect, it } from 'vitest';
import { duplicateOf } from './duplicate-of.ts';

it.each([
  ['a duplicate is one of the problem that dedup names', StageOutcome.REJECTED, 'exact_duplicate', 'founder'],
  ['what a benchmark holds is none', StageOutcome.REJECTED, 'contaminated', undefined],
  ['what passes names those that equal it, and is none', StageOutcome.PASSED, '', undefined],
])('%s', (_, outcome, reason, expected) => {
  const evidence = [
    { kind: 'equal_statement', subjectId: 'another' },
    { kind: 'duplicate_of', subjectId: 'founder' },
  ];
  expect(duplicateOf(create(ProblemStatusSchema, { outcome, reason, evidence }))).toBe(expected);
});
