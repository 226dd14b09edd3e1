import { toBinary } from '@bufbuild/protobuf';
import { topics, writerName } from '@tidemark/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shardOf } from '../outbox/shards.ts';
import { echoStage, echoState, raw } from './echo-stage.ts';
import { type StageHarness, type StageHarnessOptions, startStage } from './index.ts';
import { PATIENCE } from './patience.ts';

/** Replicas that share the work, die, and come back too late, on any log. */
export function describeReplicas(log: string, options: () => StageHarnessOptions): void {
  describe(`two replicas on ${log}`, () => {
    let stage: StageHarness;

    beforeEach(async () => {
      Object.assign(echoState, { dependencyAway: false, calls: 0, mended: false });
      stage = await startStage(echoStage, { ...options(), partitions: 4 });
    });
    afterEach(() => stage.stop());

    const timesHandled = async () =>
      (await stage.query<{ times: number }>('SELECT times FROM echoed')).map(({ times }) => times);

    it('share the partitions, and handle each event once between them', async () => {
      await stage.startReplica();
      for (let round = 0; round < 5; round++) {
        await stage.publish(topics.problemsRaw, ...problems(round));
      }
      await stage.untilQuiet();
      expect(await timesHandled()).toEqual(Array(200).fill(1));
      expect(await stage.published(topics.problemsNormalized)).toHaveLength(200);
    });

    it('lose nothing when one dies in the midst of work', async () => {
      const second = await stage.startReplica();
      const died = stage.crashAt('before-commit', 3);
      for (let round = 0; round < 5; round++) await stage.publish(topics.problemsRaw, ...problems(round));
      await died;
      await expect.poll(async () => Object.values((await second.activity()).lag), PATIENCE).toEqual([0, 0]);
      await stage.restart();
      await stage.untilQuiet();
      expect(await timesHandled()).toEqual(Array(200).fill(1));
      const ids = (await stage.published(topics.problemsNormalized)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(200);
    });

    it('take over the shards of one that stopped', async () => {
      const second = await stage.startReplica();
      await stage.service.stop();
      await stage.publish(topics.problemsRaw, raw('a'));
      await expect.poll(async () => (await stage.published(topics.problemsNormalized)).length, PATIENCE).toBe(1);
      expect((await second.activity()).outboxRows).toBe(0);
    });
  });

  describe(`a relay on ${log} that was away`, () => {
    it('cannot bring a record back behind the tombstone that its successor wrote', async () => {
      const stage = await startStage(echoStage, { ...options(), partitions: 1 });
      try {
        await stage.publish(topics.problemsRaw, raw('a'));
        await stage.untilQuiet();
        // The zombie holds a writer that was good then, and the record that it read from its outbox.
        const zombie = await stage.log.writer(
          writerName(options().environment ?? 'test', 'normalize', shardOf(Buffer.from('a'))),
        );
        await zombie.transaction(async () => []);
        const [record] = await stage.published(topics.problemsNormalized);
        if (record?.value === undefined) throw new Error('nothing was published');
        const stale = {
          topic: topics.problemsNormalized.name,
          key: Buffer.from('a'),
          value: toBinary(topics.problemsNormalized.schema, record.value),
          headers: record.headers,
        };
        // Its successor begins again, being fenced itself by the zombie's writer, and publishes the tombstone.
        await stage.publishTombstone(topics.problemsRaw, 'a');
        await stage.untilQuiet();
        await expect(zombie.transaction(async () => [stale])).rejects.toMatchObject({ code: 'writer_fenced' });
        const published = await stage.published(topics.problemsNormalized);
        expect(published.map(({ value }) => value?.revision)).toEqual([1n, undefined]);
      } finally {
        await stage.stop();
      }
    });
  });
}

const problems = (round: number) => Array.from({ length: 40 }, (_, index) => raw(`problem-${round}-${index}`));
