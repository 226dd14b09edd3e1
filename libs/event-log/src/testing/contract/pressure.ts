import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../fetched.ts';
import type { FetchedBatch } from '../../port.ts';
import { Collector } from '../collector.ts';
import { partitionOf } from '../../partitioner.ts';
import { append, bytes, type Harness, record, unique, until } from '../harness.ts';

/** What a consumer takes on when its handler is slow, its records are large, or its partitions are many. */
export function describePressure(harness: Harness): void {
  describe('under pressure', () => {
    test('a handler slower than the session time-out keeps its partitions, and is given nothing meanwhile', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 2 });
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, ...Array.from({ length: 40 }, (_, i) => record(topic, `${i}`, `${i}`)));
      const collector = new Collector(harness.offsets, group, { beforeStore: () => delay(9_000) });
      const options = { group, topic, sessions: collector, sessionTimeoutMs: 6_000, maxBatchRecords: 1_000 };
      const consumer = await log.consume(options);
      await until('both partitions are at work', () => collector.batches.length === 2);
      await delay(1_000);
      expect(collector.batches.length).toBe(2);
      await until('all is stored', () => collector.stored.length === 40);
      expect(collector.lost).toBe(0);
      expect(collector.opened.length).toBe(2);
      expect(consumer.assignment().length).toBe(2);
      expect(collector.faults).toEqual([]);
    });

    test('batches keep to their bytes, and what is in hand to its bound, over all partitions', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 12 });
      const writer = await log.writer(unique());
      const group = unique();
      // 48 MB of what compresses to a tenth: brokers count compressed bytes.
      const filler = () => randomBytes(2_500).toString('hex').repeat(10);
      for (let round = 0; round < 12; round += 1) {
        await append(
          writer,
          ...Array.from({ length: 80 }, (_, i) => record(topic, `${i}`, `${round} ${i} ${filler()}`)),
        );
      }
      const inHand = new Set<FetchedBatch>();
      const bytesInHand = () => [...inHand].reduce((sum, batch) => sum + bytesOf(batch), 0);
      let most = 0;
      let largest = 0;
      const gate = Promise.withResolvers<void>();
      const collector = new Collector(harness.offsets, group, {
        beforeStore: async (batch) => {
          inHand.add(batch);
          largest = Math.max(largest, bytesOf(batch));
          most = Math.max(most, bytesInHand());
          await gate.promise;
          inHand.delete(batch);
        },
      });
      const bounds = { maxBatchBytes: 1 << 20, maxHeldBytes: 4 << 20 };
      await log.consume({ group, topic, sessions: collector, ...bounds });
      try {
        await until('the bound is reached', () => bytesInHand() > 2 << 20);
        await delay(1_500);
        expect(bytesInHand()).toBeLessThanOrEqual(5 << 20);
      } finally {
        gate.resolve();
      }
      await until('all is stored', () => collector.stored.length === 960);
      expect(largest).toBeLessThanOrEqual(1 << 20);
      expect(most).toBeLessThanOrEqual(5 << 20);
      expect(new Set(collector.values().map((value) => value.slice(0, 8))).size).toBe(960);
    });

    test('several hundred partitions are read by one member, in order, and shared by two', {
      timeout: 180_000,
    }, async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 300 });
      const writer = await log.writer(unique());
      const group = unique();
      const keys = keyOfEachPartition(300);
      // A transaction over all partitions at once may outlast its time-out where a broker is busy.
      const write = async (round: number) => {
        for (let from = 0; from < keys.length; from += 25) {
          await append(writer, ...keys.slice(from, from + 25).map((key) => record(topic, key, `${key} ${round}`)));
        }
      };
      await write(1);
      await write(2);
      const collectors = [new Collector(harness.offsets, group), new Collector(harness.offsets, group)] as const;
      const first = await log.consume({ group, topic, sessions: collectors[0] });
      await until('both of each key', () => collectors[0].stored.length >= 600, 60_000);
      expect(new Set(collectors[0].stored.map(({ partition }) => partition)).size).toBe(300);
      const second = await (await harness.open()).consume({ group, topic, sessions: collectors[1] });
      const shares = () => [first, second].map((member) => member.assignment().length);
      await until('half each', () => shares().join() === '150,150', 60_000);
      await write(3);
      const stored = () => collectors.flatMap((collector) => collector.values());
      await until('the third of each key', () => stored().length >= 900, 60_000);
      expect(new Set(stored()).size).toBe(900);
      for (const key of keys) {
        const values = collectors.flatMap((collector) => collector.values(key));
        expect(values).toEqual([`${key} 1`, `${key} 2`, `${key} 3`]);
      }
      expect(collectors.flatMap(({ faults }) => faults)).toEqual([]);
    });
  });
}

/** For each partition a key that lies in it. */
function keyOfEachPartition(partitions: number): string[] {
  const found = new Map<number, string>();
  for (let i = 0; found.size < partitions; i += 1) found.set(partitionOf(bytes(`key ${i}`), partitions), `key ${i}`);
  return [...found.values()];
}
