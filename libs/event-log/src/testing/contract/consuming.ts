import { describe, expect, test } from 'vitest';
import { OffsetOutOfRangeError } from '../../errors.ts';
import { Collector } from '../collector.ts';
import { append, type Harness, partitionIdOf, readAll, record, unique, until } from '../harness.ts';

/** One consumer of one partition: where it starts, what it repeats, what it never skips. */
export function describeConsuming(harness: Harness): void {
  describe('consuming', () => {
    test('delivers each key in order, and goes on with what comes later', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 3 });
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, ...Array.from({ length: 300 }, (_, i) => record(topic, `key ${i % 7}`, `${i}`)));
      const collector = new Collector(harness.offsets, group);
      await log.consume({ group, topic, sessions: collector, maxBatchRecords: 13 });
      await until('the first 300', () => collector.stored.length >= 300);
      await append(writer, ...Array.from({ length: 50 }, (_, i) => record(topic, `key ${i % 7}`, `${300 + i}`)));
      await until('50 more', () => collector.stored.length >= 350);
      for (let key = 0; key < 7; key += 1) {
        const values = collector.values(`key ${key}`).map(Number);
        expect(values).toEqual(values.toSorted((a, b) => a - b));
      }
      expect(new Set(collector.values()).size).toBe(350);
      expect(collector.batches.every((batch) => batch.records.length <= 13)).toBe(true);
      expect(collector.faults).toEqual([]);
    });

    test('resumes from the stored offset, in another process', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, record(topic, 'a', '1'), record(topic, 'a', '2'));
      const before = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic, sessions: before });
      await until('both', () => before.stored.length === 2);
      await consumer.stop();
      await append(writer, record(topic, 'a', '3'));
      const after = new Collector(harness.offsets, group);
      await (await harness.open()).consume({ group, topic, sessions: after });
      await until('the third', () => after.stored.length > 0);
      expect(after.values()).toEqual(['3']);
    });

    test('delivers again what was worked on but not stored', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, record(topic, 'a', '1'));
      await append(writer, record(topic, 'a', '2'));
      let failures = 0;
      const collector = new Collector(harness.offsets, group, {
        beforeStore: (batch) => {
          if (batch.records.length > 0 && failures++ < 2) throw new Error('crashed between work and commit');
        },
      });
      await log.consume({ group, topic, sessions: collector });
      await until('both', () => collector.stored.length === 2);
      expect(collector.values()).toEqual(['1', '2']);
      expect(collector.faults.map(({ fault }) => fault.message)).toEqual([
        'crashed between work and commit',
        'crashed between work and commit',
      ]);
      await until('the recovery is told', () => collector.recovered > 0);
    });

    test('a batch of a lost partition is not stored, and the next session starts at the stored offset', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      const id = await partitionIdOf(log, topic);
      for (const value of ['1', '2', '3']) await append(writer, record(topic, 'a', value));
      let overtaken = false;
      const collector = new Collector(harness.offsets, group, {
        beforeStore: () => {
          if (overtaken) return;
          overtaken = true;
          // Somebody else held the partition meanwhile, and stored the first two.
          harness.offsets.set(group, id, 4n);
        },
      });
      harness.offsets.set(group, id, 0n);
      await log.consume({ group, topic, sessions: collector });
      await until('the third', () => collector.stored.length > 0);
      expect(collector.values()).toEqual(['3']);
      expect(collector.lost).toBe(1);
      expect(collector.opened.map(({ start }) => start)).toEqual([0n, 4n]);
      expect(collector.faults).toEqual([]);
    });

    test('starts in a hole', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, record(topic, 'a', '1'));
      await append(writer, record(topic, 'a', '2'));
      // Offset 1 is the first transaction's mark.
      harness.offsets.set(group, await partitionIdOf(log, topic), 1n);
      const collector = new Collector(harness.offsets, group);
      await log.consume({ group, topic, sessions: collector });
      await until('the second', () => collector.stored.length > 0);
      expect(collector.values()).toEqual(['2']);
      expect(collector.batches[0]?.fetchedFrom).toBe(1n);
      expect(collector.lost).toBe(0);
    });

    test('an idle session stores a position behind the marks of transactions, so that lag reaches 0', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      const id = await partitionIdOf(log, topic);
      await append(writer, record(topic, 'a', '1'));
      harness.offsets.set(group, id, 1n);
      const collector = new Collector(harness.offsets, group);
      await log.consume({ group, topic, sessions: collector });
      const logEnd = async () => (await log.admin.describe(topic))?.partitions[0]?.logEnd;
      await until('the mark', async () => (await logEnd()) === 2n);
      await until('lag 0', () => harness.offsets.next(group, id) === 2n);
      expect(collector.stored).toEqual([]);
      // And after records, the mark behind them is stored too.
      for (const value of ['2', '3', '4']) await append(writer, record(topic, 'a', value));
      // A transaction is committed before its mark is written.
      await until('the marks', async () => (await logEnd()) === 8n);
      await until('lag 0 again', () => harness.offsets.next(group, id) === 8n);
      expect(collector.values()).toEqual(['2', '3', '4']);
      expect(collector.lost).toBe(0);
    });

    test('reports a stored offset outside the log, and never skips', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      for (const value of ['1', '2', '3']) await append(writer, record(topic, 'a', value));
      await log.admin.deleteRecords(topic, 0, 4n);
      const id = await partitionIdOf(log, topic);
      for (const stored of [2n, 7n]) {
        const group = unique();
        harness.offsets.set(group, id, stored);
        const collector = new Collector(harness.offsets, group);
        const consumer = await log.consume({ group, topic, sessions: collector });
        await until('the report', () => collector.faults.some(({ fault }) => fault instanceof OffsetOutOfRangeError));
        expect(collector.faults[0]?.partition).toEqual(id);
        expect(collector.stored).toEqual([]);
        expect(harness.offsets.next(group, id)).toBe(stored);
        // An operator's deliberate rewind is picked up without a restart.
        harness.offsets.set(group, id, 4n);
        await until('the third', () => collector.stored.length > 0);
        expect(collector.values()).toEqual(['3']);
        await consumer.stop();
      }
    });

    test('reports what retention takes from under a consumer that is paused, and never skips', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      const id = await partitionIdOf(log, topic);
      await append(writer, record(topic, 'a', '1'));
      const collector = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic, sessions: collector });
      await until('the first', () => harness.offsets.next(group, id) === 2n);
      consumer.pause();
      // What was asked for before the pause may still come.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      for (const value of ['2', '3', '4']) await append(writer, record(topic, 'a', value));
      await log.admin.deleteRecords(topic, 0, 6n);
      consumer.resume();
      await until('the report', () => collector.faults.some(({ fault }) => fault instanceof OffsetOutOfRangeError));
      expect(collector.values()).toEqual(['1']);
      expect(harness.offsets.next(group, id)).toBe(2n);
      harness.offsets.set(group, id, 6n);
      await until('the fourth', () => collector.stored.length === 2);
      expect(collector.values()).toEqual(['1', '4']);
      await until('the recovery is told', () => collector.recovered > 0);
    });

    test('a foreign commit ahead of the stored offset changes nothing', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      for (const value of ['1', '2', '3']) await append(writer, record(topic, 'a', value));
      const first = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic, sessions: first });
      await until('all', () => first.stored.length === 3);
      await consumer.stop();
      // Where the log keeps commits of its own, they stand at the end now; our truth is set back.
      harness.offsets.set(group, await partitionIdOf(log, topic), 2n);
      const second = new Collector(harness.offsets, group);
      await (await harness.open()).consume({ group, topic, sessions: second });
      await until('the rest', () => second.stored.length >= 2);
      expect(second.values()).toEqual(['2', '3']);
    });

    test('an idle session is opened anew when it is told to, and starts where the stored offset is by then', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      const id = await partitionIdOf(log, topic);
      for (const value of ['1', '2']) await append(writer, record(topic, 'a', value));
      const collector = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic, sessions: collector });
      await until('both, and the mark behind them', () => harness.offsets.next(group, id) === 4n);
      harness.offsets.set(group, id, 2n);
      consumer.reopen(0);
      consumer.reopen(7);
      await until('the second again', () => collector.stored.length === 3);
      expect(collector.values()).toEqual(['1', '2', '2']);
      expect(collector.faults).toEqual([]);
    });

    test('does not fetch while paused, and keeps the membership', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      const collector = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic, sessions: collector, sessionTimeoutMs: 6_000 });
      await append(writer, record(topic, 'a', '1'));
      await until('the first', () => collector.stored.length === 1);
      consumer.pause();
      await append(writer, record(topic, 'a', '2'));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(collector.values()).toEqual(['1']);
      expect(consumer.assignment().length).toBe(1);
      consumer.resume();
      await until('the second', () => collector.stored.length === 2);
      expect(collector.opened.length).toBe(1);
    });

    test('stop finishes the batch in hand', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const group = unique();
      await append(writer, record(topic, 'a', '1'));
      let entered = false;
      const collector = new Collector(harness.offsets, group, {
        beforeStore: async (batch) => {
          entered = true;
          for (let i = 0; i < 4; i += 1) {
            await new Promise((resolve) => setTimeout(resolve, 100));
            await batch.heartbeat();
          }
          expect(batch.signal.aborted).toBe(false);
        },
      });
      const consumer = await log.consume({ group, topic, sessions: collector });
      await until('the batch', () => entered);
      await Promise.all([consumer.stop(), consumer.stop()]);
      expect(collector.values()).toEqual(['1']);
      expect(consumer.assignment()).toEqual([]);
      await append(writer, record(topic, 'a', '2'));
      expect((await readAll(log, topic)).length).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(collector.values()).toEqual(['1']);
      expect(collector.faults).toEqual([]);
    });
  });
}
