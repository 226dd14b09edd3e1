import { topics } from '@tidemark/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Moment } from '../moments.ts';
import { countStage, gradeStage, gradeState, submitted } from './grade-stages.ts';
import { type StageHarness, type StageHarnessOptions, startStage } from './index.ts';

/** Two stages on one log: what the first does twice after a crash, the second must count once. */
export const describeCrashes = (log: string, options: () => StageHarnessOptions) =>
  describe(`a crash on ${log}`, () => {
    let grading: StageHarness;
    let counting: StageHarness;

    beforeEach(async () => {
      Object.assign(gradeState, { run: async ({ payload }: { payload: string }) => payload, runs: [] });
      grading = await startStage(gradeStage, options());
      counting = await startStage(countStage, { ...options(), log: grading.log });
    });
    afterEach(async () => {
      await counting.stop();
      await grading.stop();
    });

    const crashes: [Moment, number][] = [
      ['before-commit', 1],
      ['after-commit', 1],
      ['before-commit', 4],
      ['after-commit', 4],
      ['mid-job', 1],
      ['mid-job', 5],
      ['after-publish', 1],
      ['after-publish', 2],
    ];

    it.each(crashes)('%s (the %i. time) leaves each effect there once', async (moment, times) => {
      const groups = Array.from({ length: 12 }, (_, index) => `group-${index}`);
      const died = grading.crashAt(moment, times);
      await grading.publish(topics.rolloutsSubmitted, ...groups.map(submitted));
      // A relay that finds everything in one transaction has no second one: more work comes, until it dies.
      for (let more = 0; more < 20 && !(await isOver(died)); more++) {
        groups.push(`more-${more}`);
        await grading.publish(topics.rolloutsSubmitted, submitted(`more-${more}`));
      }
      await died;
      await grading.restart();
      await grading.untilQuiet();
      await counting.untilQuiet();
      const gradedRows = await grading.query<{ group_id: string }>('SELECT group_id FROM graded');
      expect(gradedRows.map(({ group_id }) => group_id).sort()).toEqual([...groups].sort());
      const counted = await counting.query<{ group_id: string; times: number }>('SELECT * FROM counted');
      expect(counted.map(({ group_id, times: seen }) => [group_id, seen]).sort()).toEqual(
        groups.map((group) => [group, 1]).sort(),
      );
    });

    it('after publishing repeats the events with the ids that they had', async () => {
      const died = grading.crashAt('after-publish');
      await grading.publish(topics.rolloutsSubmitted, submitted('only'));
      await died;
      await grading.restart();
      await grading.untilQuiet();
      const published = await grading.published(topics.rolloutsGraded);
      expect(published).toHaveLength(2);
      expect(new Set(published.map(({ id }) => id)).size).toBe(1);
    });
  });

async function isOver(promise: Promise<void>): Promise<boolean> {
  const waited = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 150));
  return await Promise.race([promise.then(() => true), waited]);
}
