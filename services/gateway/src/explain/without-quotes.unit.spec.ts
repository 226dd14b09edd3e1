import { Stage } from '@tidemark/proto';
import { expect, it } from 'vitest';
import { withoutQuotes } from './without-quotes.ts';

it('leaves out what a stage quotes of tests and outputs, also one of a later release, and keeps the rest', () => {
  const evidence = [{ kind: 'failing_assertion', text: 'assert double(3) == 7', subject_id: '3' }];
  const bare = [{ kind: 'failing_assertion', text: '', subject_id: '3' }];
  expect(withoutQuotes(Stage.EXECUTE, evidence)).toEqual(bare);
  expect(withoutQuotes(77 as Stage, evidence)).toEqual(bare);
  const field = [{ kind: 'missing_field', text: 'is missing', subject_id: 'statement' }];
  expect(withoutQuotes(Stage.INGEST, field)).toEqual(field);
});
