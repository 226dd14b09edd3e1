import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TopicMismatchError } from '../../errors.ts';
import { Collector, text } from '../collector.ts';
import { append, type Harness, readAll, record, unique, until } from '../harness.ts';

/** The admin's side: topics, their lives, their settings, compaction. */
export function describeTopics(harness: Harness): void {
  describe('topics', () => {
    test('are created once, however many ask at once', async () => {
      const logs = await Promise.all([harness.open(), harness.open(), harness.open()]);
      const name = `test.${unique()}.v1`;
      await Promise.all(logs.map((log) => harness.topic(log, { name, partitions: 3 })));
      const lives = await Promise.all(logs.map((log) => log.admin.describe(name)));
      expect(new Set(lives.map((life) => life?.incarnation)).size).toBe(1);
      expect(lives[0]?.incarnation).toMatch(/./);
      expect(lives[0]?.partitions).toEqual(Array.from({ length: 3 }, () => ({ logStart: 0n, logEnd: 0n })));
      expect(await logs[0]?.admin.list()).toContain(name);
    });

    test('that are missing are created among others that are there', async () => {
      const log = await harness.open();
      const names = [1, 2, 3].map(() => `test.${unique()}.v1`);
      await harness.topic(log, { name: names[0] ?? '' });
      const specs = names.map((name) => ({
        ...{ name, partitions: 1, cleanup: 'delete' as const, retentionMs: 3_600_000, logAppendTime: false },
      }));
      await log.admin.ensureTopics(specs);
      expect(await log.admin.list()).toEqual(expect.arrayContaining(names));
    });

    test('are described many at once, those that are not there left out', async () => {
      const log = await harness.open();
      const [full, empty] = [await harness.topic(log), await harness.topic(log, { partitions: 2 })];
      await append(await log.writer(unique()), record(full, 'a', '1'));
      await until('the mark', async () => (await log.admin.describe(full))?.partitions[0]?.logEnd === 2n);
      const described = await log.admin.describeAll([full, `test.${unique()}.v1`, empty]);
      expect([...described.keys()].sort()).toEqual([full, empty].sort());
      expect(described.get(full)).toEqual(await log.admin.describe(full));
      expect(described.get(full)?.partitions).toEqual([{ logStart: 0n, logEnd: 2n }]);
      expect(described.get(empty)?.partitions).toEqual(Array(2).fill({ logStart: 0n, logEnd: 0n }));
      expect(described.get(full)?.incarnation).not.toBe(described.get(empty)?.incarnation);
      expect(await log.admin.describeAll([])).toEqual(new Map());
    });

    test('tell how they are kept', async () => {
      const log = await harness.open();
      const settings = { cleanup: 'compact', partitions: 2, retentionMs: 7_000, logAppendTime: true } as const;
      const name = await harness.topic(log, settings);
      const other = await harness.topic(log);
      const found = await log.admin.settings([name, other, `test.${unique()}.v1`]);
      expect([...found.keys()].sort()).toEqual([name, other].sort());
      expect(found.get(name)).toMatchObject(settings);
      expect(found.get(other)).toMatchObject({ cleanup: 'delete', retentionMs: 3_600_000 });
    });

    test('lose a text at once, offsets staying as they are, or say that they cannot', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      await append(
        writer,
        record(topic, 'a secret key', '1'),
        record(topic, 'b', 'tells a secret'),
        record(topic, 'c', '3'),
      );
      const before = await readAll(log, topic);
      const erasure = { text: 'secret', placeholder: 'forgot' } as const;
      const erased = await log.admin.erase(topic, { ...erasure, others: 'redact' });
      const told = async () => (await readAll(log, topic)).map(({ offset, value }) => [offset, text(value)]);
      if (erased === undefined) {
        expect(await told()).toHaveLength(before.length);
        return;
      }
      expect(erased).toEqual({ deleted: 1, redacted: 1 });
      const [, b, c] = before.map(({ offset }) => offset);
      expect(await told()).toEqual([
        [b, 'tells a forgot'],
        [c, '3'],
      ]);
      expect(await log.admin.erase(topic, { text: '3', placeholder: '-', others: 'delete' })).toEqual({
        deleted: 1,
        redacted: 0,
      });
      expect(await told()).toEqual([[b, 'tells a forgot']]);
      await expect(log.admin.erase(topic, { text: 'long', placeholder: 'longer', others: 'redact' })).rejects.toThrow();
    });

    test('keep their number of partitions', async () => {
      const log = await harness.open();
      const name = await harness.topic(log, { partitions: 2 });
      await harness.topic(log, { name, partitions: 2 });
      await expect(harness.topic(log, { name, partitions: 3 })).rejects.toThrow(TopicMismatchError);
      await expect(harness.topic(log, { name, partitions: 1 })).rejects.toThrow(TopicMismatchError);
      expect((await log.admin.describe(name))?.partitions.length).toBe(2);
    });

    test('have another incarnation when deleted and created again, and consumers start anew', async () => {
      const log = await harness.open();
      const name = await harness.topic(log);
      const group = unique();
      const writer = await log.writer(unique());
      await append(writer, record(name, 'a', '1'), record(name, 'a', '2'));
      const before = await log.admin.describe(name);
      const collector = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic: name, sessions: collector, sessionTimeoutMs: 6_000 });
      await until('both', () => collector.stored.length === 2);
      await consumer.stop();
      await log.admin.deleteTopic(name);
      await until('it is gone', async () => (await log.admin.describe(name)) === undefined);
      expect(await log.admin.list()).not.toContain(name);
      await until('it is there again', () =>
        harness.topic(log, { name }).then(
          () => true,
          () => false,
        ),
      );
      const after = await log.admin.describe(name);
      expect(after?.incarnation).toMatch(/./);
      expect(after?.incarnation).not.toBe(before?.incarnation);
      await append(await log.writer(unique()), record(name, 'a', '3'));
      await log.consume({ group, topic: name, sessions: collector, sessionTimeoutMs: 6_000 });
      await until('the new topic from its start', () => collector.stored.length === 3);
      expect(collector.values()).toEqual(['1', '2', '3']);
    });

    test('that are replaced under a running consumer are consumed from their start', async () => {
      const log = await harness.open();
      const other = await harness.open();
      const name = await harness.topic(log);
      const group = unique();
      const values = ['1', '2', '3'];
      await append(await log.writer(unique()), ...values.map((value) => record(name, 'a', value)));
      const collector = new Collector(harness.offsets, group);
      const consumer = await log.consume({ group, topic: name, sessions: collector, sessionTimeoutMs: 6_000 });
      await until('the old life', () => collector.stored.length === 3);
      const before = consumer.assignment()[0]?.incarnation;
      await other.admin.deleteTopic(name);
      await until('it is there again', () =>
        harness.topic(other, { name }).then(
          () => true,
          () => false,
        ),
      );
      // More than the old life had: an offset of then would lie within.
      const later = ['4', '5', '6', '7', '8', '9'];
      await append(await other.writer(unique()), ...later.map((value) => record(name, 'a', value)));
      await until('the new life', () => collector.stored.length >= 9, 60_000);
      expect(collector.values()).toEqual([...values, ...later]);
      expect(consumer.assignment()[0]?.incarnation).not.toBe(before);
    });

    test('stamp the time themselves when they are told to', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { logAppendTime: true });
      const before = Date.now();
      await append(await log.writer(unique()), record(topic, 'a', '1'));
      const [found] = await readAll(log, topic);
      expect(Math.abs((found?.timestampMs ?? 0) - before)).toBeLessThan(10_000);
    });

    test('compaction keeps the newest record of each key at its offset, and tombstones', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { cleanup: 'compact' });
      const writer = await log.writer(unique());
      for (const value of ['1', '2', '3'])
        await append(writer, record(topic, 'a', `a${value}`), record(topic, 'b', `b${value}`));
      await append(writer, record(topic, 'b', null));
      await append(writer, record(topic, 'c', 'c1'));
      const end = (await log.admin.describe(topic))?.partitions[0]?.logEnd;
      if (harness.compactsByItself) {
        // A segment is closed by the first record after its time; only closed ones are compacted.
        await delay(1_200);
        await append(writer, record(topic, 'filler', '1'));
        await delay(1_200);
        await append(writer, record(topic, 'filler', '2'));
      } else {
        await log.admin.compact(topic);
        expect((await log.admin.describe(topic))?.partitions).toEqual([{ logStart: 0n, logEnd: end }]);
      }
      const left = async () => (await readAll(log, topic)).filter((r) => text(r.key) !== 'filler');
      await until('compaction', async () => (await left()).length === 3);
      expect((await left()).map((r) => [r.offset, text(r.key), text(r.value)])).toEqual([
        [6n, 'a', 'a3'],
        [9n, 'b', null],
        [11n, 'c', 'c1'],
      ]);
      // Reading and consuming from a hole that compaction left.
      const group = unique();
      const collector = new Collector(harness.offsets, group);
      await log.consume({ group, topic, sessions: collector });
      await append(writer, record(topic, 'a', 'a4'));
      await until('the newest', () => collector.values('a').includes('a4'));
      expect(collector.values('a')).toEqual(['a3', 'a4']);
      expect(collector.values('b')).toEqual(['(null)']);
      expect(collector.lost).toBe(0);
    });
  });
}
