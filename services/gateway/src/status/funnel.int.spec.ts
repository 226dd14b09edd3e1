import { Bin } from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gatewayService } from '../index.ts';
import { binNames, decidePlacement } from '../read-model/decide-placement.ts';
import { foldCounts } from './fold-counts.ts';
import { countStates, countTargets } from './funnel.ts';

let stage: StageHarness;
beforeAll(async () => {
  stage = await startStage(gatewayService);
  await stage.query(`INSERT INTO target (target, version) VALUES ('line-a', 1), ('line-b', 1)`);
});
afterAll(() => stage?.stop());
beforeEach(async () => {
  // Deletes, not TRUNCATE: what is counted is counted by triggers.
  for (const table of ['problem', 'upload', 'curated', 'difficulty', 'panel_member']) {
    await stage.query(`DELETE FROM ${table}`);
  }
});

/** Counted row by row, as nobody would on 100,000 problems. */
async function scanned(): Promise<Record<string, number>> {
  const rows = await stage.query<{ name: string; problems: number }>(
    `SELECT concat_ws(' ', state, stage, CASE WHEN state = 'ready' THEN CASE WHEN held_out THEN 'held_out' ELSE 'train' END
       ELSE reason END) AS name, count(*)::int AS problems FROM problem GROUP BY state, stage, reason, held_out`,
  );
  return Object.fromEntries(rows.map(({ name, problems }) => [name, problems]));
}
async function counted(): Promise<Record<string, number>> {
  const name = ({ state, stage: at, reason }: { state: string; stage: string; reason: string }) =>
    [state, at, reason].join(' ');
  return Object.fromEntries((await countStates(stage)).map((row) => [name(row), row.problems]));
}

const STATES = [
  ['waiting', 'ingest', 'stage:ingest', false],
  ['rejected', 'dedup', 'contaminated', false],
  ['ready', '', '', false],
  ['ready', '', '', true],
] as const;

describe('the counts of visible states', () => {
  it('are what a scan would count, whatever was inserted, changed, deleted and added up', async () => {
    const step = fc.record({
      kind: fc.constantFrom('upsert', 'upsert', 'delete', 'fold'),
      ids: fc.uniqueArray(fc.nat(20), { minLength: 1 }),
      state: fc.constantFrom(...STATES),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const { kind, ids, state } of steps) {
          if (kind === 'fold') await foldCounts(stage);
          else if (kind === 'delete') {
            await stage.query('DELETE FROM problem WHERE problem_id = ANY($1::text[])', [ids.map(String)]);
          } else {
            await stage.query(
              `INSERT INTO problem (problem_id, state, stage, reason, held_out)
               SELECT id, $2, $3, $4, $5 FROM unnest($1::text[]) AS id
               ON CONFLICT (problem_id) DO UPDATE SET state = $2, stage = $3, reason = $4, held_out = $5`,
              [ids.map(String), ...state],
            );
          }
        }
        expect(await counted()).toEqual(await scanned());
      }),
      { numRuns: 20 },
    );
  });

  it('stay few rows however often problems change', async () => {
    await stage.query(`INSERT INTO problem (problem_id) SELECT n::text FROM generate_series(1, 50) AS n`);
    for (let i = 0; i < 50; i++) {
      await stage.query(`UPDATE problem SET state = CASE state WHEN 'waiting' THEN 'ready' ELSE 'waiting' END`);
    }
    await foldCounts(stage);
    expect((await stage.query('SELECT 1 FROM problem_count')).length).toBeLessThanOrEqual(2);
    expect(await counted()).toEqual(await scanned());
  });
});

const NUMBERS = {
  mastered: Bin.MASTERED,
  easy: Bin.EASY,
  medium: Bin.MEDIUM,
  hard: Bin.HARD,
  unsolved: Bin.UNSOLVED,
};

describe('the counts of a target', () => {
  it('put every ready problem of the training side where it is shown to stand', async () => {
    const maybe = fc.option(fc.constantFrom(...binNames), { nil: undefined });
    const problems = fc.sample(
      fc.record({
        state: fc.constantFrom(...STATES),
        inPanel: fc.boolean(),
        curated: maybe,
        predicted: fc.boolean(),
        measured: maybe,
      }),
      { numRuns: 300, seed: 7 },
    );
    const expected = { panel: 0, curated: 0, set_aside: 0, reserve: 0 };
    for (const [n, { state, inPanel, curated, predicted, measured }] of problems.entries()) {
      const id = `p${n}`;
      await stage.query(
        'INSERT INTO problem (problem_id, state, stage, reason, held_out) VALUES ($1, $2, $3, $4, $5)',
        [id, ...state],
      );
      if (inPanel) await stage.query(`INSERT INTO panel_member VALUES ('line-a', $1, 1, 1, 1)`, [id]);
      if (curated !== undefined) {
        await stage.query(`INSERT INTO curated VALUES ('line-a', $1, 1, $2, $3, false, 1, '')`, [
          id,
          NUMBERS[curated],
          predicted,
        ]);
      }
      if (measured !== undefined) {
        await stage.query(
          `INSERT INTO difficulty SELECT 'line-a', $1, 1, 1, '', 1, 1, .5, NULL, 1, 1, 0, 0, $2::int, 0, '', '{}', 1, 1, ''`,
          [id, NUMBERS[measured]],
        );
      }
      if (state[0] !== 'ready' || state[3]) continue;
      const { kind } = decidePlacement({
        inPanel,
        curated: curated === undefined ? undefined : { bin: curated, predicted, retest: false },
        measured: measured === undefined ? undefined : { bin: measured },
        synthetic: false,
        selection: { syntheticShare: 0, binWeights: {}, workingSet: 1, curated: 0 },
      });
      expected[kind] += 1;
    }
    const [a, b] = await countTargets(stage);
    expect(a).toMatchObject(expected);
    const ready = expected.panel + expected.curated + expected.set_aside + expected.reserve;
    // Of another target nothing is known: all are in reserve.
    expect(b).toMatchObject({ panel: 0, curated: 0, set_aside: 0, reserve: ready });
  });
});
