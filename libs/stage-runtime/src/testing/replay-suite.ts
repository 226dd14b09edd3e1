import { create, toBinary } from '@bufbuild/protobuf';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { ordersTopic, topics } from '@tidemark/event-log';
import {
  CommandOutcome,
  type DeadLetter,
  ProblemRawSchema,
  RolloutsGradedSchema,
  ServiceOrderSchema,
} from '@tidemark/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadLetters } from '../ensure-topics.ts';
import { echoStage, echoState, raw } from './echo-stage.ts';
import { countStage, graded } from './grade-stages.ts';
import { type StageHarness, type StageHarnessOptions, startStage } from './index.ts';
import { otherReader } from './other-reader.ts';
import { PATIENCE } from './patience.ts';

const letters = deadLetters(topics.problemsRaw.name, 'normalize');

/** What becomes of records that were laid aside and are ordered to be handled again, on any log. */
export const describeReplays = (log: string, options: () => StageHarnessOptions) =>
  describe(`dead letters on ${log}`, () => {
    let stage: StageHarness;

    beforeEach(async () => {
      Object.assign(echoState, { dependencyAway: false, calls: 0, mended: false });
      stage = await startStage(echoStage, options());
    });
    afterEach(() => stage.stop());

    const handled = async () => {
      const rows = await stage.query<{ problem_id: string; times: number; version: number }>('SELECT * FROM echoed');
      return Object.fromEntries(rows.map(({ problem_id, times, version }) => [problem_id, [times, version]]));
    };
    const lettersOf = async (): Promise<DeadLetter[]> =>
      (await stage.published(letters)).flatMap(({ value }) => (value === undefined ? [] : [value]));
    const replay = async (target: StageHarness, service: 'normalize' | 'calibrate', ...given: DeadLetter[]) => {
      const orders = given.map((value) => create(ServiceOrderSchema, { order: { case: 'replay', value } }));
      await target.publish(ordersTopic(service), ...orders);
      await target.untilQuiet();
    };

    it('are handled once when they are replayed, with the ids that they would have had', async () => {
      await stage.publish(topics.problemsRaw, raw('poison-1'), raw('a'));
      await stage.untilQuiet();
      const [letter] = await lettersOf();
      if (letter === undefined) throw new Error('no letter');
      echoState.mended = true;
      await replay(stage, 'normalize', letter);
      expect(await handled()).toEqual({ a: [1, 1], 'poison-1': [1, 1] });
      const published = await stage.published(topics.problemsNormalized);
      const own = published.filter(({ key }) => key === 'poison-1');
      expect(own.map(({ value }) => value?.revision)).toEqual([1n]);
      // Once more, and as a repeat of the log: nothing is doubled.
      await replay(stage, 'normalize', letter, letter);
      expect(await handled()).toEqual({ a: [1, 1], 'poison-1': [1, 1] });
      expect(await stage.published(topics.problemsNormalized)).toHaveLength(2);
      expect(await lettersOf()).toHaveLength(1);
    });

    it('of an old revision do nothing once a newer one was handled', async () => {
      await stage.publish(topics.problemsRaw, raw('poison-1', 1, 1n));
      await stage.untilQuiet();
      echoState.mended = true;
      await stage.publish(topics.problemsRaw, raw('poison-1', 2, 2n));
      await stage.untilQuiet();
      await replay(stage, 'normalize', ...(await lettersOf()));
      expect(await handled()).toEqual({ 'poison-1': [1, 2] });
      expect(await stage.published(topics.problemsNormalized)).toHaveLength(1);
    });

    it('of one key are handled in their order', async () => {
      for (const version of [1, 2, 3]) {
        await stage.publish(topics.problemsRaw, raw('poison-1', version, BigInt(version)));
        await stage.untilQuiet();
      }
      echoState.mended = true;
      // Each by itself: together the newest alone would count.
      const all = await lettersOf();
      expect(all).toHaveLength(3);
      for (const letter of all) await replay(stage, 'normalize', letter);
      expect(await handled()).toEqual({ 'poison-1': [3, 3] });
      const published = await stage.published(topics.problemsNormalized);
      expect(published.map(({ value }) => value?.version)).toEqual([1, 2, 3]);
    });

    it('that fail again are laid aside again, with all their attempts, and those around them are handled', async () => {
      await stage.publish(topics.problemsRaw, raw('poison-1'), raw('large-1'));
      await stage.untilQuiet();
      const before = await lettersOf();
      expect(before.map(({ replays }) => replays)).toEqual([0, 0]);
      echoState.mended = true;
      await replay(stage, 'normalize', ...before);
      expect(await handled()).toEqual({ 'poison-1': [1, 1] });
      const again = (await stage.published(letters)).at(-1);
      expect(again?.value).toMatchObject({
        topic: topics.problemsRaw.name,
        errorCode: 'event_too_large',
        replays: 1,
        eventId: before.find(({ errorCode }) => errorCode === 'event_too_large')?.eventId,
      });
      expect(again?.value?.attempts).toBeGreaterThan(
        before.find(({ errorCode }) => errorCode === 'event_too_large')?.attempts ?? 99,
      );
      expect(new Set((await stage.published(letters)).map(({ id }) => id)).size).toBe(3);
    });

    it('whose record lies in the blob store are handled once when they are replayed', async () => {
      const large = create(ProblemRawSchema, {
        problemId: 'poison-1',
        version: 1,
        revision: 1n,
        content: { title: 'x'.repeat(600_000) },
      });
      await stage.publishBytes(topics.problemsRaw, 'poison-1', toBinary(ProblemRawSchema, large));
      await stage.untilQuiet();
      const [letter] = await lettersOf();
      if (letter === undefined) throw new Error('no letter');
      expect(letter.record?.sizeBytes).toBeGreaterThan(600_000n);
      echoState.mended = true;
      await replay(stage, 'normalize', letter, letter);
      expect(await handled()).toEqual({ 'poison-1': [1, 1] });
      expect(await lettersOf()).toHaveLength(1);
    });

    it('whose content is gone, or no content at all, come back with the reason and hold up no order behind them', async () => {
      const large = create(ProblemRawSchema, { problemId: 'large', content: { title: 'x'.repeat(600_000) } });
      await stage.publish(topics.problemsRaw, raw('poison-1'));
      await stage.publishBytes(topics.problemsRaw, 'unforeseen-1', toBinary(ProblemRawSchema, large).fill(0xff));
      await stage.untilQuiet();
      const before = await lettersOf();
      const good = before.find(({ record }) => record === undefined);
      const lying = before.find(({ record }) => record !== undefined);
      if (good === undefined || lying?.record === undefined) throw new Error('no letters');
      const gone = { ...lying, record: { ...lying.record, sha256: '0'.repeat(64) } };
      const blobs = stage.service.get(BlobStore);
      const garbage = { ...lying, record: await storePayload(blobs, Buffer.alloc(300_000, 0xff)) };
      echoState.mended = true;
      // One batch: what is behind them is in the same transaction.
      const orders = [gone, garbage, good].map((value) =>
        create(ServiceOrderSchema, { order: { case: 'replay', value } }),
      );
      const to = { case: 'start', value: true } as const;
      const move = { case: 'moveOffsets', value: { topic: topics.problemsRaw.name, to } } as const;
      await stage.publish(
        ordersTopic('normalize'),
        ...orders,
        create(ServiceOrderSchema, { commandId: 'move', order: move }),
      );
      await stage.untilQuiet();
      expect(await handled()).toEqual({ 'poison-1': [1, 1] });
      const moved = (await stage.published(topics.commandsCompleted)).map(({ value }) => value);
      expect(moved.map((end) => [end?.commandId, end?.outcome])).toEqual([['move', CommandOutcome.DONE]]);
      const again = (await lettersOf()).filter(({ replays }) => replays === 1);
      expect(again.map(({ errorCode, record }) => [errorCode, record !== undefined])).toEqual([
        ['blob_missing', true],
        ['unexpected', true],
      ]);
      expect(again.map(({ eventId }) => eventId)).toEqual([lying.eventId, lying.eventId]);
    });

    it('that are no order of this release are answered, and hold up none', async () => {
      await stage.publish(ordersTopic('normalize'), create(ServiceOrderSchema, { commandId: 'of tomorrow' }));
      await stage.untilQuiet();
      const ends = (await stage.published(topics.commandsCompleted)).map(({ value }) => value);
      expect(ends.map((end) => [end?.commandId, end?.outcome])).toEqual([['of tomorrow', CommandOutcome.REFUSED]]);
    });

    it('of a topic that is read no more stay letters', async () => {
      await stage.publish(topics.problemsRaw, raw('poison-1'));
      await stage.untilQuiet();
      const [letter] = await lettersOf();
      if (letter === undefined) throw new Error('no letter');
      const gone = { ...letter, topic: topics.problemsNormalized.name };
      await stage.log.admin.ensureTopics([
        {
          name: deadLetters(topics.problemsNormalized.name, 'normalize').name,
          partitions: 1,
          cleanup: 'delete',
          retentionMs: 3_600_000,
          logAppendTime: false,
        },
      ]);
      await replay(stage, 'normalize', gone);
      const back = await stage.published(deadLetters(topics.problemsNormalized.name, 'normalize'));
      expect(back.map(({ value }) => [value?.errorCode, value?.replays, value?.value])).toEqual([
        ['not_consumed', 1, letter.value],
      ]);
    });

    it('are replayed to the service that failed, and no other reader of the topic sees them', async () => {
      const other = await startStage(otherReader, { ...options(), log: stage.log });
      try {
        await stage.publish(topics.problemsRaw, raw('poison-1'));
        await stage.untilQuiet();
        await other.untilQuiet();
        echoState.mended = true;
        await replay(stage, 'normalize', ...(await lettersOf()));
        await other.untilQuiet();
        expect(await handled()).toEqual({ 'poison-1': [1, 1] });
        expect(await other.query('SELECT problem_id, times FROM read')).toEqual([{ problem_id: 'poison-1', times: 1 }]);
      } finally {
        await other.stop();
      }
    });

    it('of topics without revisions are handled once too', async () => {
      const counting = await startStage(countStage, { ...options(), log: stage.log });
      try {
        await counting.publish(topics.rolloutsGraded, graded('group-1'), graded('null-byte-\0'));
        await counting.untilQuiet();
        const own = deadLetters(topics.rolloutsGraded.name, 'calibrate');
        const [letter] = (await counting.published(own)).flatMap(({ value }) => (value === undefined ? [] : [value]));
        if (letter === undefined) throw new Error('no letter');
        // What was handled already, as a letter: its id is known.
        const [good] = await counting.published(topics.rolloutsGraded);
        if (good === undefined) throw new Error('no record');
        const known = {
          ...letter,
          headers: { ...good.headers },
          value: toBinary(RolloutsGradedSchema, graded('group-1')),
        };
        await replay(counting, 'calibrate', known);
        expect(await counting.query('SELECT group_id, times FROM counted')).toEqual([
          { group_id: 'group-1', times: 1 },
        ]);
      } finally {
        await counting.stop();
      }
    });
  });

/** What a person can do about a stored offset that lies outside the log, on any log. */
export const describeMovedOffsets = (log: string, options: () => StageHarnessOptions) =>
  describe(`a stored offset outside ${log}`, () => {
    let stage: StageHarness;

    beforeEach(async () => {
      Object.assign(echoState, { dependencyAway: false, calls: 0, mended: false });
      stage = await startStage(echoStage, { ...options(), partitions: 1 });
    });
    afterEach(() => stage.stop());

    type To = NonNullable<Parameters<typeof orderOf>[1]>;
    const orderOf = (
      topic: string,
      to: { case: 'start' | 'end'; value: true } | { case: 'offset'; value: bigint },
      skip = false,
    ) =>
      create(ServiceOrderSchema, {
        commandId: crypto.randomUUID(),
        order: { case: 'moveOffsets', value: { topic, to, skipUnread: skip } },
      });
    const order = async (target: StageHarness, service: 'normalize' | 'calibrate', to: To, skip = false) => {
      const topic = service === 'normalize' ? topics.problemsRaw : topics.rolloutsGraded;
      let found: Awaited<ReturnType<typeof completions>> = [];
      const before = (await completions()).length;
      await target.publish(ordersTopic(service), orderOf(topic.name, to, skip));
      await expect.poll(async () => (found = await completions()).length, PATIENCE).toBeGreaterThan(before);
      return found.at(-1);
    };
    const completions = async () => (await stage.published(topics.commandsCompleted)).map(({ value }) => value);

    it('is a reason not to be ready, and ends by an order that says what was lost', async () => {
      const counting = await startStage(countStage, { ...options(), log: stage.log, partitions: 1 });
      try {
        await counting.publish(topics.rolloutsGraded, graded('a'));
        await counting.untilQuiet();
        await counting.service.stop();
        for (const id of ['b', 'c', 'd']) await counting.publish(topics.rolloutsGraded, graded(id));
        // Retention takes b and c; the service stood at 2.
        await stage.log.admin.deleteRecords(topics.rolloutsGraded.name, 0, 6n);
        await counting.restart();
        await expect
          .poll(() => counting.service.readiness().reasons.join(), PATIENCE)
          .toContain('rollouts.graded.v1/0: stored offset 2 is outside the log (6 to 8)');
        expect((await counting.service.activity()).offsetsOutside).toEqual([
          'rollouts.graded.v1/0: stored offset 2 is outside the log (6 to 8)',
        ]);
        expect(await counting.query('SELECT group_id FROM counted')).toEqual([{ group_id: 'a' }]);
        const end = await order(counting, 'calibrate', { case: 'start', value: true });
        expect(end).toMatchObject({ outcome: CommandOutcome.DONE, results: { 'partition 0': '2 -> 6' } });
        expect(end?.message).toContain('4 offsets were gone before they were read');
        await counting.untilQuiet();
        const rows = await counting.query<{ group_id: string; times: number }>('SELECT * FROM counted ORDER BY 1');
        expect(rows.map(({ group_id, times }) => [group_id, times])).toEqual([
          ['a', 1],
          ['d', 1],
        ]);
        await expect.poll(() => counting.service.readiness(), PATIENCE).toEqual({ ready: true, reasons: [] });
      } finally {
        await counting.stop();
      }
    });

    it('is not moved past unread records by mistake, and going back repeats nothing', async () => {
      await stage.publish(topics.problemsRaw, raw('a'), raw('b'));
      await stage.untilQuiet();
      expect(await order(stage, 'normalize', { case: 'start', value: true })).toMatchObject({
        outcome: CommandOutcome.DONE,
      });
      await stage.untilQuiet();
      const rows = await stage.query<{ times: number }>('SELECT times FROM echoed');
      expect(rows.map(({ times }) => times)).toEqual([1, 1]);
      echoState.dependencyAway = true;
      await stage.publish(topics.problemsRaw, raw('c'));
      expect(await order(stage, 'normalize', { case: 'end', value: true })).toMatchObject({
        outcome: CommandOutcome.REFUSED,
      });
      expect(await order(stage, 'normalize', { case: 'offset', value: 99n })).toMatchObject({
        outcome: CommandOutcome.REFUSED,
      });
      expect(await order(stage, 'normalize', { case: 'end', value: true }, true)).toMatchObject({
        outcome: CommandOutcome.DONE,
      });
      await expect.poll(async () => Object.values((await stage.service.activity()).lag), PATIENCE).toEqual([0, 0]);
    });
  });
