import { Split, Stage, StageOutcome } from '@tidemark/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideVisibleState, type ProblemFacts, type StageStatus, type Withdrawal } from './decide-visible-state.ts';

const passed = (stage: Stage, version = 1): StageStatus => ({
  stage,
  version,
  outcome: StageOutcome.PASSED,
  reason: '',
});
const rejected = (stage: Stage, reason: string, version = 1): StageStatus => ({
  stage,
  version,
  outcome: StageOutcome.REJECTED,
  reason,
});
const waiting = (stage: Stage, reason: string, version = 1): StageStatus => ({
  stage,
  version,
  outcome: StageOutcome.WAITING,
  reason,
});
const withdrawal = (stage: Stage, reason: string, version = 1, takenBack = false): Withdrawal => ({
  stage,
  version,
  reason,
  takenBack,
});
const throughout = (version = 1): StageStatus[] =>
  [Stage.INGEST, Stage.NORMALIZE, Stage.DEDUP, Stage.EXECUTE, Stage.SCORE].map((stage) => passed(stage, version));
const train = (version: number) => ({ version, split: Split.TRAIN });
const facts = (partial: Partial<ProblemFacts>): ProblemFacts => ({ statuses: [], withdrawals: [], ...partial });

describe('the visible state', () => {
  it('waits for the first stage that has said nothing', () => {
    expect(decideVisibleState(facts({ statuses: [passed(Stage.INGEST), passed(Stage.NORMALIZE)] }))).toMatchObject({
      kind: 'waiting',
      reason: 'stage:dedup',
    });
  });

  it('is rejected with the reason of the earliest stage that does not let it pass', () => {
    const statuses = [rejected(Stage.EXECUTE, 'reference_failed'), rejected(Stage.NORMALIZE, 'no_tests')];
    expect(decideVisibleState(facts({ statuses }))).toMatchObject({ kind: 'rejected', reason: 'no_tests' });
  });

  it('is ready when every stage up to score has let it pass, and held out where dedup says so', () => {
    expect(decideVisibleState(facts({ statuses: throughout() }))).toMatchObject({ kind: 'ready', heldOut: false });
    const unique = { version: 1, split: Split.HELD_OUT };
    expect(decideVisibleState(facts({ statuses: throughout(), unique }))).toMatchObject({ heldOut: true });
  });

  it('takes an output or a later status for the word of a stage that is still on its way', () => {
    const statuses = [passed(Stage.EXECUTE)];
    expect(decideVisibleState(facts({ statuses, scored: { version: 1 } }))).toMatchObject({ kind: 'ready' });
  });

  it('believes a rejection more than an output of the same version', () => {
    const statuses = [passed(Stage.INGEST), rejected(Stage.DEDUP, 'contaminated')];
    expect(decideVisibleState(facts({ statuses, unique: train(1) }))).toMatchObject({ kind: 'rejected' });
  });

  it('keeps the old version in force while a new one is on its way, and says so', () => {
    const statuses = [passed(Stage.INGEST, 2), waiting(Stage.NORMALIZE, 'assets', 2), ...throughout().slice(2)];
    expect(decideVisibleState(facts({ statuses, verified: train(1) }))).toEqual({
      kind: 'ready',
      version: 1,
      heldOut: false,
      incoming: { version: 2, kind: 'waiting', reason: 'assets' },
    });
  });

  it('lets the old version leave when the new one is rejected', () => {
    const statuses = [passed(Stage.INGEST, 2), rejected(Stage.NORMALIZE, 'no_tests', 2), ...throughout().slice(2)];
    expect(decideVisibleState(facts({ statuses, verified: train(1) }))).toMatchObject({ kind: 'rejected', version: 2 });
  });

  it('is withdrawn while any stage withdraws its version, until that is taken back', () => {
    const statuses = throughout();
    const out = [withdrawal(Stage.INGEST, 'by_producer')];
    expect(decideVisibleState(facts({ statuses, withdrawals: out }))).toMatchObject({ kind: 'withdrawn' });
    const back = [withdrawal(Stage.INGEST, 'by_producer', 1, true)];
    expect(decideVisibleState(facts({ statuses, withdrawals: back }))).toMatchObject({ kind: 'ready' });
  });

  it('is the same whether a stage rejects before or after it let the problem pass', () => {
    const early = facts({
      statuses: [passed(Stage.INGEST), passed(Stage.NORMALIZE), rejected(Stage.DEDUP, 'contaminated')],
    });
    const late = facts({
      statuses: [...throughout().filter(({ stage }) => stage !== Stage.DEDUP), rejected(Stage.DEDUP, 'contaminated')],
      withdrawals: [withdrawal(Stage.DEDUP, 'contaminated')],
      verified: train(1),
    });
    expect(decideVisibleState(late)).toEqual(decideVisibleState(early));
  });

  it('does not bring the old version back when it was withdrawn', () => {
    const partial = { statuses: [passed(Stage.INGEST, 2)], withdrawals: [withdrawal(Stage.DEDUP, 'x')] };
    expect(decideVisibleState(facts({ ...partial, verified: train(1) }))).toMatchObject({
      kind: 'waiting',
      version: 2,
    });
  });

  it('is withdrawn when nothing but a withdrawal is known', () => {
    expect(decideVisibleState(facts({ withdrawals: [withdrawal(Stage.INGEST, 'gone', 3)] }))).toMatchObject({
      kind: 'withdrawn',
    });
  });

  it('goes on when a stage off the way says that it could not take a record of it', () => {
    for (const stage of [Stage.CALIBRATE, Stage.SELECT, Stage.SAMPLE, Stage.GATEWAY]) {
      const letter = { stage, version: 1, outcome: StageOutcome.DEAD_LETTERED, reason: 'unforeseen' };
      expect(decideVisibleState(facts({ statuses: [...throughout(), letter] }))).toMatchObject({ kind: 'ready' });
      const ended = { ...letter, outcome: StageOutcome.REJECTED };
      expect(decideVisibleState(facts({ statuses: [...throughout(), ended] }))).toMatchObject({ kind: 'rejected' });
    }
  });

  it('shows a record that was refused before it had a version', () => {
    const statuses = [rejected(Stage.INGEST, 'missing_field', 0)];
    expect(decideVisibleState(facts({ statuses }))).toMatchObject({ kind: 'rejected', reason: 'missing_field' });
  });
});

const stages = [1, 2, 3, 4, 5, 6, 7, 8, 9, 77] as Stage[];
const outcomes = [0, 1, 2, 3, 4, 99] as StageOutcome[];
const version = fc.integer({ min: 0, max: 3 });
const anyStatus = fc.record({
  stage: fc.constantFrom(...stages),
  version,
  outcome: fc.constantFrom(...outcomes),
  reason: fc.constantFrom('a', 'b'),
});
const anyWithdrawal = fc.record({
  stage: fc.constantFrom(...stages),
  version,
  reason: fc.constantFrom('a', 'b'),
  takenBack: fc.boolean(),
});
const output = fc.option(fc.record({ version, split: fc.constantFrom(Split.TRAIN, Split.HELD_OUT) }), {
  nil: undefined,
});
const onePerStage = { selector: ({ stage }: { stage: Stage }) => stage, maxLength: 10 };
const anyFacts: fc.Arbitrary<ProblemFacts> = fc.record({
  statuses: fc.uniqueArray(anyStatus, onePerStage),
  withdrawals: fc.uniqueArray(anyWithdrawal, { ...onePerStage, maxLength: 3 }),
  unique: output,
  verified: output,
  scored: output,
});
const runs = { numRuns: 2_000 };

describe('laws of the visible state', () => {
  it('is one of five for every combination of facts', () => {
    const kinds = ['withdrawn', 'rejected', 'dead_lettered', 'waiting', 'ready'];
    fc.assert(
      fc.property(anyFacts, (known) => kinds.includes(decideVisibleState(known).kind)),
      runs,
    );
  });

  it('does not depend on the order in which facts arrived', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer(), (known, seed) => {
        const turn = <T>(list: readonly T[]) => {
          const at = list.length === 0 ? 0 : Math.abs(seed) % list.length;
          return [...list.slice(at), ...list.slice(0, at)].reverse();
        };
        const turned = { ...known, statuses: turn(known.statuses), withdrawals: turn(known.withdrawals) };
        expect(decideVisibleState(turned)).toEqual(decideVisibleState(known));
      }),
      runs,
    );
  });

  it('never is ready in a version that is withdrawn', () => {
    fc.assert(
      fc.property(anyFacts, (known) => {
        const state = decideVisibleState(known);
        if (state.kind !== 'ready') return true;
        return !known.withdrawals.some((out) => !out.takenBack && out.version >= state.version);
      }),
      runs,
    );
  });

  it('never is ready in a version that a stage rejected', () => {
    fc.assert(
      fc.property(anyFacts, (known) => {
        const state = decideVisibleState(known);
        if (state.kind !== 'ready' || state.incoming !== undefined) return true;
        return !known.statuses.some((s) => s.outcome === StageOutcome.REJECTED && s.version === state.version);
      }),
      runs,
    );
  });

  it('is ready only on the word of execute or its output', () => {
    fc.assert(
      fc.property(anyFacts, (known) => {
        const state = decideVisibleState(known);
        if (state.kind !== 'ready') return true;
        const said = known.statuses.some(
          (s) => [Stage.EXECUTE, Stage.SCORE].includes(s.stage) && s.version === state.version,
        );
        return said || known.verified?.version === state.version || known.scored?.version === state.version;
      }),
      runs,
    );
  });

  it('forgets a withdrawal that is taken back', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...stages), (known, stage) => {
        const others = known.withdrawals.filter((out) => out.stage !== stage);
        const back = [...others, withdrawal(stage, 'x', 3, true)];
        expect(decideVisibleState({ ...known, withdrawals: back })).toEqual(
          decideVisibleState({ ...known, withdrawals: others }),
        );
      }),
      runs,
    );
  });
});
