import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCluster, type Member } from './decide-cluster.ts';

const rules = { splitSeed: 'seed', heldOutShare: 0 };
const member = (problemId: string, fields: Partial<Member> = {}): Member => ({
  problemId,
  version: 1,
  publishedMs: undefined,
  contamination: undefined,
  excludedVersion: 0,
  seenAsTrain: false,
  ...fields,
});
const contamination = { benchmark: 'b', itemId: '1', similarity: 0.5 };

function standings(...members: Member[]) {
  const decision = decideCluster(members, 's', undefined, rules);
  return Object.fromEntries(
    [...decision.standings].map(([id, standing]) => [
      id,
      standing.kind === 'duplicate' ? `duplicate of ${standing.of}` : standing.kind,
    ]),
  );
}

describe('a cluster of exact duplicates', () => {
  it('is represented by its earliest member', () => {
    expect(standings(member('a', { publishedMs: 5 }), member('b', { publishedMs: 3 }), member('c'))).toEqual({
      a: 'duplicate of b',
      b: 'represents',
      c: 'duplicate of b',
    });
  });
  it('takes the least id where dates are equal or unknown', () => {
    expect(standings(member('b'), member('a'))).toEqual({ a: 'represents', b: 'duplicate of a' });
  });
  it('lets the next one represent when another stage rejects the first', () => {
    expect(standings(member('a', { excludedVersion: 1 }), member('b'), member('c'))).toEqual({
      a: 'excluded',
      b: 'represents',
      c: 'duplicate of b',
    });
  });
  it('lets a new version of the first represent again', () => {
    expect(standings(member('a', { version: 2, excludedVersion: 1 }), member('b'))).toEqual({
      a: 'represents',
      b: 'duplicate of a',
    });
  });
  it('has no representative when all are in a benchmark or excluded', () => {
    expect(standings(member('a', { contamination }), member('b', { excludedVersion: 1 }))).toEqual({
      a: 'contaminated',
      b: 'excluded',
    });
  });

  it('does not depend on the order of arrival', () => {
    const members = fc.uniqueArray(
      fc.record({
        problemId: fc.stringMatching(/^[a-f]{2}$/),
        version: fc.integer({ min: 1, max: 2 }),
        publishedMs: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
        contamination: fc.option(fc.constant(contamination), { nil: undefined }),
        excludedVersion: fc.integer({ min: 0, max: 2 }),
        seenAsTrain: fc.boolean(),
      }),
      { selector: (one) => one.problemId, minLength: 1, maxLength: 6 },
    );
    const shuffled = members.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const [left, right] = [decideCluster(all, 's', undefined, rules), decideCluster(other, 's', undefined, rules)];
        expect(new Map([...left.standings].sort())).toEqual(new Map([...right.standings].sort()));
        expect([left.founderId, left.split]).toEqual([right.founderId, right.split]);
        const kinds = [...left.standings.values()].map((standing) => standing.kind);
        expect(kinds.filter((kind) => kind === 'represents').length).toBeLessThanOrEqual(1);
        expect(kinds.includes('duplicate')).toBe(kinds.includes('duplicate') && kinds.includes('represents'));
      }),
    );
  });
});

type Side = 'train' | 'held_out' | undefined;

describe('the side of the exam', () => {
  const drawnFor = (statement: string, heldOutShare: number, fixed: Side, ...members: Member[]) =>
    decideCluster(members, statement, fixed, { splitSeed: 'seed', heldOutShare }).split;
  const splitOf = (heldOutShare: number, fixed: Side, ...members: Member[]) =>
    drawnFor('s', heldOutShare, fixed, ...members);

  it('is train for all with share 0 and held out for all with share 1', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9a-f]{32}$/),
        (statement) =>
          drawnFor(statement, 0, undefined, member('a')) === 'train' &&
          drawnFor(statement, 1, undefined, member('a')) === 'held_out',
      ),
    );
  });
  it('is drawn at the asked share', () => {
    const drawn = Array.from({ length: 2000 }, (_, i) => drawnFor(`${i}`, 0.25, undefined, member('a'))).filter(
      (side) => side === 'held_out',
    );
    // 2,000 draws at .25: mean 500, standard deviation 19; five of them.
    expect(Math.abs(drawn.length - 500)).toBeLessThan(97);
  });
  it('is one for all clusters of one statement', () => {
    fc.assert(
      fc.property(fc.string(), fc.uniqueArray(fc.string(), { minLength: 2 }), (statement, ids) => {
        expect(new Set(ids.map((id) => drawnFor(statement, 0.5, undefined, member(id)))).size).toBe(1);
      }),
    );
  });
  it('stays as it was drawn, whoever founds the cluster later', () => {
    expect(splitOf(1, 'train', member('a'), member('b'))).toBe('train');
    expect(splitOf(0, 'held_out', member('a'), member('b'))).toBe('held_out');
  });
  it('leaves the exam when a trainer saw a member', () => {
    expect(splitOf(1, 'held_out', member('a'), member('b', { seenAsTrain: true }))).toBe('train');
  });
  it('is not drawn before something is published', () => {
    expect(splitOf(0.5, undefined, member('a', { contamination }))).toBeUndefined();
  });
});
