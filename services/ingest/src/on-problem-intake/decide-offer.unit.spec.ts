import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideOffer, type KnownRecord, type Offer } from './decide-offer.ts';

const known = (fields: Partial<KnownRecord> = {}): KnownRecord => ({
  version: 3,
  contentSha256: 'a',
  submitter: 'lab',
  state: 'accepted',
  ...fields,
});
const record = (contentSha256: string, submitter = 'lab'): Offer => ({ kind: 'record', contentSha256, submitter });

describe('an offered record', () => {
  it.each<[string, KnownRecord | undefined, Offer, object]>([
    ['that is new is version 1', undefined, record('a'), { kind: 'accept', next: known({ version: 1 }) }],
    [
      'with other content is the next version',
      known(),
      record('b'),
      { kind: 'accept', next: known({ version: 4, contentSha256: 'b' }) },
    ],
    ['that comes as it was changes nothing', known(), record('a'), { kind: 'unchanged', next: known() }],
    [
      'that another offers as it was changes nothing',
      known(),
      record('a', 'other'),
      { kind: 'unchanged', next: known() },
    ],
    ['that another changes is refused', known(), record('b', 'other'), { kind: 'refuse', code: 'not_owner' }],
    ['comes back after its withdrawal', known({ state: 'withdrawn' }), record('a'), { kind: 'restore', next: known() }],
    [
      'that another brings back is refused',
      known({ state: 'withdrawn' }),
      record('a', 'other'),
      { kind: 'refuse', code: 'not_owner' },
    ],
    [
      'comes changed after its withdrawal',
      known({ state: 'withdrawn' }),
      record('b'),
      { kind: 'accept', next: known({ version: 4, contentSha256: 'b' }) },
    ],
    [
      'replaces one that nobody could read',
      known({ state: 'rejected' }),
      record('b', 'other'),
      { kind: 'accept', next: known({ version: 4, contentSha256: 'b', submitter: 'other' }) },
    ],
  ])('%s', (_, before, offer, decision) => {
    expect(decideOffer(before, offer)).toEqual(decision);
  });
});

describe('a record that cannot be read', () => {
  const faulty = (contentSha256: string): Offer => ({ kind: 'faulty', contentSha256, submitter: 'lab' });
  it.each<[string, KnownRecord | undefined, object]>([
    [
      'is rejected when nothing is known',
      undefined,
      { kind: 'reject', next: known({ version: 1, contentSha256: 'b', state: 'rejected' }) },
    ],
    ['leaves a good one in force', known(), { kind: 'refuse', code: 'invalid_record' }],
    [
      'follows another bad one',
      known({ state: 'rejected' }),
      { kind: 'reject', next: known({ version: 4, contentSha256: 'b', state: 'rejected' }) },
    ],
    [
      'stays the version that it was',
      known({ state: 'rejected', contentSha256: 'b' }),
      { kind: 'reject', next: known({ state: 'rejected', contentSha256: 'b' }) },
    ],
  ])('%s', (_, before, decision) => {
    expect(decideOffer(before, faulty('b'))).toEqual(decision);
  });
});

describe('a withdrawal', () => {
  const withdrawal = (submitter = 'lab'): Offer => ({ kind: 'withdrawal', submitter });
  it.each<[string, KnownRecord | undefined, Offer, object]>([
    ['by the producer counts', known(), withdrawal(), { kind: 'withdraw', next: known({ state: 'withdrawn' }) }],
    ['by another does not', known(), withdrawal('other'), { kind: 'refuse', code: 'not_owner' }],
    [
      'repeated changes nothing',
      known({ state: 'withdrawn' }),
      withdrawal(),
      { kind: 'unchanged', next: known({ state: 'withdrawn' }) },
    ],
    ['of what nobody offered is refused', undefined, withdrawal(), { kind: 'refuse', code: 'unknown_record' }],
  ])('%s', (_, before, offer, decision) => {
    expect(decideOffer(before, offer)).toEqual(decision);
  });
});

it('never lowers a version, raises it by one at most, and takes repeated offers for one', () => {
  const offers = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('record' as const),
        contentSha256: fc.constantFrom('a', 'b'),
        submitter: fc.constantFrom('x', 'y'),
      }),
      fc.record({
        kind: fc.constant('faulty' as const),
        contentSha256: fc.constantFrom('c', 'd'),
        submitter: fc.constantFrom('x', 'y'),
      }),
      fc.record({ kind: fc.constant('withdrawal' as const), submitter: fc.constantFrom('x', 'y') }),
    ),
  );
  fc.assert(
    fc.property(offers, (sequence) => {
      let state: KnownRecord | undefined;
      for (const offer of sequence) {
        const decision = decideOffer(state, offer);
        const next = decision.kind === 'refuse' ? state : decision.next;
        const [before, after] = [state?.version ?? 0, next?.version ?? 0];
        expect(after === before || after === before + 1).toBe(true);
        const repeated = decideOffer(next, offer);
        expect(repeated.kind === 'refuse' ? next : repeated.next).toEqual(next);
        state = next;
      }
    }),
  );
});
