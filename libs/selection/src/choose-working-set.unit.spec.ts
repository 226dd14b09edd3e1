import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BinName, Candidate } from './candidate.ts';
import { chooseWorkingSet } from './choose-working-set.ts';
import { defaultSelectionSettings } from './settings.ts';

const target = { slug: 'policy-7b', checkpoint: 'step-100' };

const candidate = (problemId: string, changes: Partial<Candidate> = {}): Candidate => ({
  problemId,
  alpha: 1,
  beta: 1,
  bin: 'medium',
  measured: false,
  synthetic: false,
  checkpointIsNewer: false,
  ...changes,
});

const anyCandidates = fc.uniqueArray(
  fc.record({
    problemId: fc.uuid(),
    alpha: fc.double({ min: 0.5, max: 40, noNaN: true }),
    beta: fc.double({ min: 0.5, max: 40, noNaN: true }),
    bin: fc.constantFrom<BinName>('mastered', 'easy', 'medium', 'hard', 'unsolved'),
    measured: fc.boolean(),
    synthetic: fc.boolean(),
    checkpointIsNewer: fc.boolean(),
  }),
  { selector: (one) => one.problemId, maxLength: 60 },
);
const anySettings = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  size: fc.integer({ min: 1, max: 50 }),
});

describe('the working set', () => {
  it('prefers a problem that splits a group to one that is easy', () => {
    const even = candidate('even', { alpha: 9, beta: 9 });
    const easy = candidate('easy', { alpha: 15, beta: 3, bin: 'easy' });
    const { members } = chooseWorkingSet([easy, even], defaultSelectionSettings, target);
    expect(members.map((member) => member.candidate.problemId)).toEqual(['even', 'easy']);
  });

  it('sets aside what is mastered or unsolved, but for the share that is drawn for a retest', () => {
    const many = Array.from({ length: 4000 }, (_, i) => candidate(`p${i}`, { alpha: 30, beta: 1, bin: 'mastered' }));
    const { members, setAside } = chooseWorkingSet(many, defaultSelectionSettings, target);
    expect(members.length + setAside.length).toBe(4000);
    expect(members.every((member) => member.retest)).toBe(true);
    // 2% of 4,000 is 80; five standard deviations are 44
    expect(Math.abs(members.length - 80)).toBeLessThan(44);
  });

  it('draws more of them when the checkpoint is newer than what is known', () => {
    const many = (newer: boolean) =>
      Array.from({ length: 4000 }, (_, i) =>
        candidate(`p${i}`, { alpha: 1, beta: 30, bin: 'unsolved', checkpointIsNewer: newer }),
      );
    const drawn = (newer: boolean) =>
      new Set(
        chooseWorkingSet(many(newer), defaultSelectionSettings, target).members.map((m) => m.candidate.problemId),
      );
    const [now, then] = [drawn(true), drawn(false)];
    expect(now.size).toBeGreaterThan(then.size);
    expect([...then].every((id) => now.has(id))).toBe(true);
  });

  it('has no synthetic problem unless the target asks for them', () => {
    const { members, reserve } = chooseWorkingSet(
      [candidate('made', { synthetic: true }), candidate('real')],
      defaultSelectionSettings,
      target,
    );
    expect(members.map((member) => member.candidate.problemId)).toEqual(['real']);
    expect(reserve).toEqual(['made']);
  });

  it('places every candidate once, keeps its bounds, and does not depend on the order of the candidates', () => {
    fc.assert(
      fc.property(anyCandidates, anySettings, (candidates, { share, size }) => {
        const settings = { ...defaultSelectionSettings, syntheticShare: share, workingSet: size };
        const chosen = chooseWorkingSet(candidates, settings, target);
        const placed = [
          ...chosen.members.map((m) => m.candidate.problemId),
          ...chosen.setAside,
          ...chosen.reserve,
        ].sort();
        expect(placed).toEqual(candidates.map((one) => one.problemId).sort());
        expect(chosen.members.length).toBeLessThanOrEqual(size);
        const synthetic = chosen.members.filter((m) => m.candidate.synthetic).length;
        if (share < 1) expect(synthetic).toBeLessThanOrEqual(share * size + 1e-6);
        const backwards = chooseWorkingSet([...candidates].reverse(), settings, target);
        expect(backwards.members.map((m) => m.candidate.problemId)).toEqual(
          chosen.members.map((m) => m.candidate.problemId),
        );
      }),
    );
  });
});
