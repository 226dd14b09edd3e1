import { expect, it } from 'vitest';
import { explainText } from './explain-text.ts';
import { inCommands } from './hints.ts';

const story = (extra: object) => ({ problem_id: 'p', version: 1, state: 'rejected', stage: 'ingest', ...extra });
const evidence = (kind: string, subject_id: string, text: string) =>
  explainText(
    story({
      reason: 'invalid_record',
      stages: [{ stage: 'ingest', version: 1, evidence: [{ kind, subject_id, text }] }],
    }),
  ).find((line) => line.includes('- '));

it.each([
  ['missing_field', 'statement', 'is missing. Add it', '- statement is missing. Add it'],
  ['unknown_format', 'format', 'is "x", which is not known', '- format is "x", which is not known'],
  ['failing_assertion', '', 'assert f(2) == 3', '- failing assertion: assert f(2) == 3'],
  ['failing_assertion', '', 'def check(candidate):\n  assert True', '- failing test: def check(candidate): …'],
  ['near_duplicate', 'other', '', '- near duplicate other'],
])('says %s as a sentence', (kind, subject, text, said) => {
  expect(evidence(kind, subject, text)).toContain(said);
});

it('says what is waited for', () => {
  const line = (reason: string) => explainText(story({ state: 'waiting', stage: 'execute', reason }))[1];
  expect(line('tests_missing')).toBe('Waiting: tests missing.');
  expect(line('stage:normalize')).toBe('Waiting for normalize: to be cleaned.');
});

it('says where a program could forge a pass', () => {
  const told = (shares_process: boolean) =>
    explainText(story({ stages: [], verified: { suite_hash: 'a', test_count: 3, shares_process } })).join();
  expect(told(true)).toContain('can forge a pass');
  expect(told(false)).not.toContain('forge');
});

it('advises commands, not HTTP', () => {
  expect(inCommands('Declare it first: PUT /v1/targets/<slug>.')).toBe(
    'Declare it first: tidemark target declare <slug>.',
  );
});
