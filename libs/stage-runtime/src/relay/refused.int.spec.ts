import { create, toBinary } from '@bufbuild/protobuf';
import { ordersTopic, topics } from '@tidemark/event-log';
import { BlobStore } from '@tidemark/blob-store';
import { type DeadLetter, DeadLetterSchema, ProblemNormalizedSchema, ServiceOrderSchema } from '@tidemark/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wholeLetter } from '../consume/dead-letter.ts';
import { deadLetters } from '../ensure-topics.ts';
import { SHARDS } from '../outbox/shards.ts';
import { echoStage, echoState, raw } from '../testing/echo-stage.ts';
import { type StageHarness, startStage } from '../testing/index.ts';
import { PATIENCE } from '../testing/patience.ts';

const { problemsNormalized } = topics;
const letters = deadLetters(problemsNormalized.name, 'normalize');

describe('an event that the log refuses for good', () => {
  let stage: StageHarness;
  beforeEach(async () => {
    Object.assign(echoState, { dependencyAway: false, calls: 0, mended: false });
    stage = await startStage(echoStage);
  });
  afterEach(() => stage.stop());

  const lettersOf = async (): Promise<DeadLetter[]> =>
    (await stage.published(letters)).flatMap(({ value }) => (value === undefined ? [] : [value]));
  const letterOf = (problemId: string, revision: bigint) =>
    create(DeadLetterSchema, {
      topic: problemsNormalized.name,
      service: 'normalize',
      handler: 'normalize/outbox',
      errorCode: 'refused_by_log',
      eventId: `of ${problemId}`,
      headers: { ce_id: Buffer.from(`of ${problemId}`) },
      key: Buffer.from(problemId),
      value: toBinary(
        ProblemNormalizedSchema,
        create(ProblemNormalizedSchema, { problemId, version: 1, revision, content: { title: 'refused' } }),
      ),
    });
  const replay = async (letter: DeadLetter) => {
    await stage.publish(
      ordersTopic('normalize'),
      create(ServiceOrderSchema, { order: { case: 'replay', value: letter } }),
    );
    await stage.untilQuiet();
  };
  const titles = async () =>
    (await stage.published(problemsNormalized)).map(({ value }) => [value?.revision, value?.content?.title]);

  it('becomes a letter with all that it held, and holds up nothing that is before or behind it', async () => {
    // The others are no messages, which only their readers mind.
    await stage.query(
      `INSERT INTO outbox (shard, topic, key, value, headers)
       SELECT shard, $1, convert_to('key ' || number, 'UTF8'), convert_to(repeat('x', size), 'UTF8'), ''
       FROM generate_series(0, $2::int - 1) AS s (shard), (VALUES (1, 10), (2, 950000), (3, 10)) AS v (number, size)
       ORDER BY number`,
      [problemsNormalized.name, SHARDS],
    );
    await stage.publish(topics.problemsRaw, raw('a'));
    await expect.poll(async () => (await lettersOf()).length, PATIENCE).toBe(SHARDS);
    const activity = await stage.untilQuiet();
    expect(activity).toMatchObject({ outboxRows: 0, deadLetters: { [problemsNormalized.name]: SHARDS } });
    expect(activity.outboxRefused).toBeUndefined();
    for (const letter of await lettersOf()) {
      expect(letter).toMatchObject({
        topic: problemsNormalized.name,
        handler: 'normalize/outbox',
        errorCode: 'refused_by_log',
        errorMessage: `a record of 950005 bytes for ${problemsNormalized.name} is over the limit of 900000`,
      });
      const { key, value } = await wholeLetter(stage.service.get(BlobStore), letter);
      expect([Buffer.from(key ?? []).toString(), value?.length]).toEqual(['key 2', 950_000]);
    }
    expect(await stage.query('SELECT 1 FROM outbox')).toEqual([]);
    expect(await stage.query<{ times: number }>('SELECT times FROM echoed')).toEqual([{ times: 1 }]);
    expect(stage.service.readiness()).toEqual({ ready: true, reasons: [] });
  });

  it('is published when it is replayed, while nothing newer of its key was', async () => {
    await stage.publish(topics.problemsRaw, raw('a', 1));
    await stage.untilQuiet();
    await replay(letterOf('a', 1n));
    expect(await titles()).toEqual([
      [1n, ''],
      [1n, 'refused'],
    ]);
    expect((await stage.published(problemsNormalized)).at(-1)?.id).toBe('of a');
    expect(await stage.published(letters)).toEqual([]);
  });

  it('does not go out behind a newer one of its key: the letter says so', async () => {
    for (const version of [1, 2]) {
      await stage.publish(topics.problemsRaw, raw('a', version));
      await stage.untilQuiet();
    }
    await stage.log.admin.ensureTopics([
      { name: letters.name, partitions: 1, cleanup: 'delete', retentionMs: 3_600_000, logAppendTime: false },
    ]);
    await replay(letterOf('a', 1n));
    expect(await titles()).toEqual([
      [1n, ''],
      [2n, ''],
    ]);
    expect((await lettersOf()).map(({ errorCode, replays }) => [errorCode, replays])).toEqual([['superseded', 1]]);
  });

  it('is a reason not to be ready when it is itself a letter, and none to be busy', async () => {
    const own = deadLetters(topics.problemsRaw.name, 'normalize').name;
    await stage.query(
      `INSERT INTO outbox (shard, topic, key, value, headers) VALUES (0, $1, NULL, convert_to(repeat('x', 950000), 'UTF8'), '')`,
      [own],
    );
    const reasons = () => stage.service.readiness().reasons.join();
    await expect.poll(reasons, PATIENCE).toContain(`the log refuses an event of ${own}`);
    const activity = await stage.untilQuiet();
    expect(activity).toMatchObject({ outboxRows: 0, outboxRefused: 1, deadLetters: {} });
    await stage.query('DELETE FROM outbox');
    await expect.poll(reasons, PATIENCE).toBe('');
  });
});
