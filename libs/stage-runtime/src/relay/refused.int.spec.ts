import { topics } from '@tidemark/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHARDS } from '../outbox/shards.ts';
import { echoStage, raw } from '../testing/echo-stage.ts';
import { type StageHarness, startStage } from '../testing/index.ts';
import { PATIENCE } from '../testing/patience.ts';

describe('an event that the log refuses for good', () => {
  let stage: StageHarness;
  beforeEach(async () => {
    stage = await startStage(echoStage);
  });
  afterEach(() => stage.stop());

  it('stays in the outbox, counts as not sent, and holds up nothing that is before or behind it', async () => {
    await stage.query(
      `INSERT INTO outbox (shard, topic, key, value, headers)
       SELECT shard, $1, convert_to('key ' || number, 'UTF8'), convert_to(repeat('x', size), 'UTF8'), ''
       FROM generate_series(0, $2::int - 1) AS s (shard), (VALUES (1, 10), (2, 950000), (3, 10)) AS v (number, size)
       ORDER BY number`,
      [topics.problemsNormalized.name, SHARDS],
    );
    await stage.publish(topics.problemsRaw, raw('a'));
    const sent = async () => {
      const [topic] = (await stage.log.admin.describeAll([topics.problemsNormalized.name])).values();
      return (
        topic?.partitions.some(({ logEnd }) => logEnd > 0n) === true && (await stage.service.activity()).outboxRows
      );
    };
    await expect.poll(sent, PATIENCE).toBe(SHARDS);
    const rows = await stage.query<{ refused: string }>('SELECT refused FROM outbox');
    expect(new Set(rows.map(({ refused }) => refused))).toEqual(
      new Set([`a record of 950005 bytes for ${topics.problemsNormalized.name} is over the limit of 900000`]),
    );
    await stage.query('DELETE FROM outbox');
    await stage.untilQuiet();
    const problems = await stage.query<{ times: number }>('SELECT times FROM echoed');
    expect(problems).toEqual([{ times: 1 }]);
    expect(stage.service.readiness()).toEqual({ ready: true, reasons: [] });
  });
});
