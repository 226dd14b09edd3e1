import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LogConsumer } from '../../port.ts';
import { Collector } from '../collector.ts';
import { append, type Harness, record, unique, until } from '../harness.ts';

const partitionsOf = (consumer: LogConsumer): number[] => consumer.assignment().map((p) => p.partition);

/** Several members of one group. */
export function describeGroups(harness: Harness): void {
  describe('groups', () => {
    test('share the partitions fairly, each partition with one member', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 5 });
      const group = unique();
      const consumers: LogConsumer[] = [];
      for (const members of [1, 2, 3]) {
        const member = await harness.open();
        const sessions = new Collector(harness.offsets, group);
        consumers.push(await member.consume({ group, topic, sessions, sessionTimeoutMs: 6_000 }));
        const fair = members === 1 ? [5] : members === 2 ? [2, 3] : [1, 2, 2];
        await until(`${members} members share ${fair.join(', ')}`, () => {
          const shares = consumers.map((c) => partitionsOf(c).length).toSorted();
          return shares.join() === fair.join() && new Set(consumers.flatMap(partitionsOf)).size === 5;
        });
      }
    });

    test('two members work side by side, and a clean stop hands over at once', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 4 });
      const writer = await log.writer(unique());
      const group = unique();
      const collectors = [new Collector(harness.offsets, group), new Collector(harness.offsets, group)];
      const consumers = await Promise.all(
        collectors.map(async (sessions) => (await harness.open()).consume({ group, topic, sessions })),
      );
      await until('two each', () => consumers.every((c) => partitionsOf(c).length === 2));
      const stored = () => collectors.flatMap((c) => c.values());
      await append(writer, ...Array.from({ length: 100 }, (_, i) => record(topic, `${i}`, `${i}`)));
      await until('100', () => stored().length >= 100);
      expect(collectors.every((c) => c.stored.length > 0)).toBe(true);
      await consumers[0]?.stop();
      await append(writer, ...Array.from({ length: 100 }, (_, i) => record(topic, `${i}`, `${100 + i}`)));
      // Far sooner than the session time-out of 10 s.
      await until('200', () => stored().length >= 200, 6_000);
      expect(new Set(stored()).size).toBe(200);
      expect(partitionsOf(consumers[1] as LogConsumer).length).toBe(4);
    });

    test('a member that joins while another is in mid-batch takes its share, and nothing is doubled', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 4 });
      const writer = await log.writer(unique());
      const group = unique();
      const release = Promise.withResolvers<void>();
      const slow = new Collector(harness.offsets, group, { beforeStore: () => release.promise });
      const options = { group, topic, sessionTimeoutMs: 6_000, maxBatchRecords: 5 };
      await append(writer, ...Array.from({ length: 100 }, (_, i) => record(topic, `${i}`, `${i}`)));
      const first = await log.consume({ ...options, sessions: slow });
      await until('every partition is at work', () => slow.batches.length === 4);
      const quick = new Collector(harness.offsets, group);
      const second = (await harness.open()).consume({ ...options, sessions: quick });
      // Longer than a member may be silent: the one in mid-batch is not.
      await delay(7_000);
      release.resolve();
      const joined = await second;
      await until('two each', () => [first, joined].every((member) => partitionsOf(member).length === 2));
      await append(writer, ...Array.from({ length: 100 }, (_, i) => record(topic, `${i}`, `${100 + i}`)));
      const stored = () => [...slow.values(), ...quick.values()];
      await until('all', () => new Set(stored()).size === 200);
      expect(stored().length).toBe(200);
      expect(quick.stored.length).toBeGreaterThan(0);
      expect([...slow.faults, ...quick.faults]).toEqual([]);
    });

    test('a member that leaves in mid-batch stores it, and the others go on behind it', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 4 });
      const writer = await log.writer(unique());
      const group = unique();
      const options = { group, topic, sessionTimeoutMs: 6_000, maxBatchRecords: 5 };
      const leaving = new Collector(harness.offsets, group, { beforeStore: () => delay(400) });
      const staying = new Collector(harness.offsets, group);
      const members = [
        await log.consume({ ...options, sessions: leaving }),
        await (await harness.open()).consume({ ...options, sessions: staying }),
      ];
      await until('two each', () => members.every((member) => partitionsOf(member).length === 2));
      await append(writer, ...Array.from({ length: 200 }, (_, i) => record(topic, `${i}`, `${i}`)));
      await until('a batch in hand', () => leaving.batches.length > 0);
      const inHand = leaving.batches.length;
      await members[0]?.stop();
      expect(leaving.stored.length).toBeGreaterThan(0);
      expect(leaving.batches.length).toBeLessThanOrEqual(inHand + 2);
      expect(leaving.lost).toBe(0);
      const stored = () => [...leaving.values(), ...staying.values()];
      await until('all', () => new Set(stored()).size === 200);
      expect(stored().length).toBe(200);
    });

    test('a member that loses its partition while it works stores nothing', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, record(topic, 'a', '1'), record(topic, 'a', '2'));
      const release = Promise.withResolvers<void>();
      let entered = false;
      // Works for ever without a sign of life; the fence has to hold when it comes back.
      const slow = new Collector(harness.offsets, group, {
        beforeStore: async () => {
          entered = true;
          await release.promise;
        },
      });
      const quick = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic, sessions: slow });
      await until('the slow one is at work', () => entered);
      // The same group in another process, with a session that starts where the slow one did.
      const other = await quick.open({ ...consumer.assignment()[0] } as never, { logStart: 0n, logEnd: 3n });
      const batch = slow.batches[0];
      if (!batch) throw new Error('no batch');
      expect(await other.session.onBatch(batch)).toBe('stored');
      release.resolve();
      await until('the slow one is told', () => slow.lost === 1);
      await append(writer, record(topic, 'a', '3'));
      await until('the third', () => slow.stored.length > 0);
      expect(slow.values()).toEqual(['3']);
      expect(quick.values()).toEqual(['1', '2']);
    });
  });
}
