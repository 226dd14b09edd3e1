import { problemIdOf } from '@tidemark/identity';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRollouts } from './parse-rollouts.ts';

const place = { fileSha256: 'f'.repeat(64), record: 3 };
const minimal = {
  format: 'tidemark.rollouts.v1',
  target: 'my-model',
  checkpoint: 'step-1',
  namespace: 'own',
  id: 'a',
  attempts: [{ output: 'x = 1' }],
};

function read(fields: object, at = place) {
  return parseRollouts(JSON.stringify({ ...minimal, ...fields }), at);
}

function faultsOf(fields: object): Record<string, string> {
  const parsed = read(fields);
  if (parsed.kind === 'group') throw new Error('expected faults');
  return Object.fromEntries(parsed.faults.map((fault) => [fault.field, fault.code]));
}

describe('tidemark.rollouts.v1', () => {
  it('reads a group with all its fields', () => {
    const parsed = read({
      group: 'g-1',
      purpose: 'calibrate',
      lease: 'l-1',
      target_version: 2,
      problem_version: 3,
      attempts: [
        { output: 'a', prompt_tokens: 5, output_tokens: 6, truncated: true, seed: 1, verdict: 'wrong_answer' },
        { output: 'b', verdict: 'sandbox_failure' },
      ],
      judge_version: 'mine-1',
    });
    expect(parsed).toMatchObject({
      kind: 'group',
      record: {
        groupId: 'g-1',
        target: 'my-model',
        targetVersion: 2,
        problemVersion: 3,
        purpose: 'calibrate',
        lease: 'l-1',
        problemId: problemIdOf('own', 'a'),
        attempts: [
          { output: 'a', promptTokens: 5, outputTokens: 6, truncated: true, seed: 1n, verdict: 'wrong_answer' },
          { output: 'b', truncated: false, verdict: 'sandbox_failure' },
        ],
      },
    });
  });

  it('keeps a 64-bit seed exact', () => {
    const parsed = parseRollouts(
      JSON.stringify(minimal).replace('"x = 1"', '"x = 1","seed":9223372036854775807'),
      place,
    );
    expect(parsed.kind === 'group' && parsed.record.attempts[0]?.seed).toBe(9223372036854775807n);
  });

  it('draws the id of a group without one from its place, so that equal groups both count', () => {
    const ids = [read({}), read({}, { ...place, record: 4 }), read({})].map(
      (one) => one.kind === 'group' && one.record.groupId,
    );
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('repairs what no text can hold in an output, and says so', () => {
    const parsed = parseRollouts(JSON.stringify(minimal).replace('x = 1', 'x\\u0000y\\ud83d'), place);
    expect(parsed).toMatchObject({
      kind: 'group',
      record: { attempts: [{ output: 'x\uFFFDy\uFFFD' }] },
      warnings: [{ code: 'repaired_character', field: 'attempts[0].output' }],
    });
  });

  it('says once what it did to many attempts, and no more than fifty faults', () => {
    const attempts = Array.from({ length: 1000 }, () => ({ output: 'a\0', extra: 1 }));
    const parsed = parseRollouts(JSON.stringify({ ...minimal, attempts }), place);
    expect(parsed.kind === 'group' && parsed.warnings.map(({ field }) => field)).toEqual([
      'attempts[].output',
      'attempts[].extra',
    ]);
    const faulty = parseRollouts(JSON.stringify({ ...minimal, attempts: attempts.map(() => ({})) }), place);
    expect(faulty.kind === 'faulty' && faulty.faults.length).toBe(50);
  });

  it.each([
    ['no problem', { id: undefined }, { problem: 'missing_field' }],
    ['a problem that is not the record', { problem: '0'.repeat(32) }, { problem: 'contradiction' }],
    ['a bad target', { target: 'My Model' }, { target: 'bad_value' }],
    ['no attempts', { attempts: [] }, { attempts: 'bad_value' }],
    ['an attempt with nothing', { attempts: [{}] }, { 'attempts[0].output': 'missing_field' }],
    [
      'verdicts for some',
      { attempts: [{ output: 'a', verdict: 'accepted' }, { output: 'b' }] },
      { attempts: 'contradiction' },
    ],
    ['an unknown verdict', { attempts: [{ output: 'a', verdict: 'great' }] }, { 'attempts[0].verdict': 'bad_value' }],
    ['purpose canary, which is ours', { purpose: 'canary' }, { purpose: 'bad_value' }],
    ['half a token', { attempts: [{ output: 'a', output_tokens: 1.5 }] }, { 'attempts[0].output_tokens': 'bad_value' }],
    ['a seed above 64 bits', { attempts: [{ output: 'a', seed: 1e30 }] }, { 'attempts[0].seed': 'bad_value' }],
    ['a NUL outside of an output', { lease: 'a\0' }, { lease: 'bad_character' }],
  ])('refuses %s', (_, fields, faults) => {
    expect(faultsOf(fields)).toEqual(faults);
  });

  it('never throws, whatever one field holds', () => {
    const field = fc.constantFrom('attempts', 'group', 'target', 'problem', 'id', 'namespace', 'purpose', 'seed');
    fc.assert(
      fc.property(field, fc.jsonValue(), (name, value) => ['group', 'faulty'].includes(read({ [name]: value }).kind)),
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => ['group', 'faulty'].includes(read({ attempts: [value] }).kind)));
  });
});
