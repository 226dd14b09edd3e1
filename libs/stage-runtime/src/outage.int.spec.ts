import { topics } from '@tidemark/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sleep } from './sleep.ts';
import { countStage, gradeStage, gradeState, submitted } from './testing/grade-stages.ts';
import { type StageHarness, startStage } from './testing/index.ts';

describe('a database that goes away', () => {
  let grading: StageHarness;
  let counting: StageHarness;

  beforeEach(async () => {
    Object.assign(gradeState, { run: async ({ payload }: { payload: string }) => payload, runs: [] });
    grading = await startStage(gradeStage);
    counting = await startStage(countStage, { log: grading.log });
  });
  afterEach(async () => {
    await counting.stop();
    await grading.stop();
  });

  /** Cuts every connection of a stage, those of the log in its database among them. */
  const cut = (stage: StageHarness) =>
    stage.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name <> 'tidemark-harness'`,
    );

  it('again and again costs no event and counts none twice, without a dead letter', async () => {
    const groups: string[] = [];
    for (let round = 0; round < 8; round++) {
      const more = Array.from({ length: 15 }, (_, index) => `group-${round}-${index}`);
      await publishPatiently(more);
      groups.push(...more);
      await sleep(40 * round);
      await Promise.all([cut(grading), cut(counting)]);
    }
    const [graded, counted] = [await quietPatiently(grading), await quietPatiently(counting)];
    expect([graded.deadLetters, counted.deadLetters]).toEqual([{}, {}]);
    const rows = await counting.query<{ group_id: string; times: number }>('SELECT * FROM counted');
    expect(rows.map(({ group_id, times }) => [group_id, times]).sort()).toEqual(
      groups.map((group) => [group, 1]).sort(),
    );
    expect(await grading.query('SELECT group_id FROM graded')).toHaveLength(groups.length);
    for (const { service } of [grading, counting]) {
      await expect.poll(() => service.readiness().reasons, { timeout: 20_000 }).toEqual([]);
    }
  });

  /** The publisher of the spec loses its connection too; what it repeats has new ids, so it asks first. */
  async function publishPatiently(groups: readonly string[]): Promise<void> {
    for (const group of groups) {
      for (;;) {
        try {
          const there = await grading.published(topics.rolloutsSubmitted);
          if (there.some(({ value }) => value?.group?.groupId === group)) break;
          await grading.publish(topics.rolloutsSubmitted, submitted(group));
          break;
        } catch {
          await sleep(100);
        }
      }
    }
  }

  async function quietPatiently(stage: StageHarness) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await stage.untilQuiet(30_000);
      } catch (error) {
        if (attempt >= 5) throw error;
        await sleep(500);
      }
    }
  }
});
