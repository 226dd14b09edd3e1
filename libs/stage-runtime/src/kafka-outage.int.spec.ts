import { randomBytes } from 'node:crypto';
import { type EventLog, openKafkaEventLog, topics } from '@tidemark/event-log';
import { describeWithOwnKafka } from '@tidemark/testing-servers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from './sleep.ts';
import { countStage, gradeStage, gradeState, submitted } from './testing/grade-stages.ts';
import { startStage } from './testing/index.ts';

/** Longer than every time-out on the way; `TIDEMARK_TEST_OUTAGE_MS=60000` is the minute of the design. */
const outageMs = Number(process.env.TIDEMARK_TEST_OUTAGE_MS ?? 12_000);

describeWithOwnKafka('stages on a broker that goes away', (broker) => {
  let log: EventLog;
  beforeAll(() => {
    log = openKafkaEventLog({ brokers: broker.brokers, replicationFactor: 1, minInsyncReplicas: 1 });
  });
  afterAll(() => log.close());

  it('say so, work on, lose nothing and count nothing twice; one that is started meanwhile waits for it', async () => {
    const gate = Promise.withResolvers<void>();
    const run = async ({ payload }: { payload: string }) => {
      await gate.promise;
      return payload;
    };
    Object.assign(gradeState, { run, runs: [] });
    const environment = `spec-${randomBytes(4).toString('hex')}`;
    const grading = await startStage(gradeStage, { log, environment });
    try {
      const groups = Array.from({ length: 15 }, (_, index) => `group-${index}`);
      await grading.publish(topics.rolloutsSubmitted, ...groups.map(submitted));
      await expect.poll(() => gradeState.runs.length, { timeout: 30_000 }).toBeGreaterThan(3);
      await broker.crash();
      gate.resolve();
      const reasons = () => grading.service.readiness().reasons.join('; ');
      await expect.poll(reasons, { timeout: 60_000 }).toContain('cannot publish');
      await expect.poll(reasons, { timeout: 60_000 }).toContain('log of rollouts.submitted.v1');
      // Jobs are done although nothing can be published.
      const graded = () => grading.query('SELECT group_id FROM graded');
      await expect.poll(async () => (await graded()).length, { timeout: 30_000 }).toBe(15);
      const starting = startStage(countStage, { log, environment });
      await sleep(outageMs);
      await broker.revive();
      const counting = await starting;
      try {
        const ends = [await grading.untilQuiet(60_000), await counting.untilQuiet(60_000)];
        expect(ends.map(({ deadLetters }) => deadLetters)).toEqual([{}, {}]);
        const counted = await counting.query<{ group_id: string; times: number }>('SELECT * FROM counted');
        expect(counted.map(({ group_id, times }) => [group_id, times]).sort()).toEqual(
          groups.map((group) => [group, 1]).sort(),
        );
        for (const { service } of [grading, counting]) {
          await expect.poll(() => service.readiness(), { timeout: 60_000 }).toEqual({ ready: true, reasons: [] });
        }
      } finally {
        await counting.stop();
      }
    } finally {
      await grading.stop();
    }
  }, 300_000);
});
