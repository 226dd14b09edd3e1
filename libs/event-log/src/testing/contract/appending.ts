import { describe, expect, test } from 'vitest';
import { FencedError, RecordTooLargeError, TopicMismatchError } from '../../errors.ts';
import { maxRecordBytes } from '../../limits.ts';
import { text } from '../collector.ts';
import { append, bytes, type Harness, readAll, record, unique, until } from '../harness.ts';

/** Appending: order, faithfulness, all or nothing, and the fence between writers of one name. */
export function describeAppending(harness: Harness): void {
  describe('appending', () => {
    test('keeps the order of a partition, and every byte of key, value and headers', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const odd = Buffer.from([0, 255, 10, 13, 92, 39, 0]);
      const before = Date.now();
      await append(
        writer,
        record(topic, 'a', 'first', { ce_id: bytes('1'), 'odd bytes': odd, empty: Buffer.alloc(0), Größe: bytes('ß') }),
        { topic, key: odd, value: odd, headers: {} },
        record(topic, 'a', null, { 'tidemark-revision': bytes('7') }),
        record(topic, '', ''),
        record(topic, null, 'without a key'),
      );
      await append(writer, record(topic, 'a', 'second'));
      const found = await readAll(log, topic);
      expect(found.map((r) => [text(r.key), text(r.value)])).toEqual([
        ['a', 'first'],
        [odd.toString('utf8'), odd.toString('utf8')],
        ['a', null],
        ['', ''],
        [null, 'without a key'],
        ['a', 'second'],
      ]);
      expect(found.map((r) => r.partition)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(Buffer.from(found[1]?.key ?? []).equals(odd)).toBe(true);
      expect(Buffer.from(found[1]?.value ?? []).equals(odd)).toBe(true);
      const headers = found[0]?.headers ?? {};
      expect(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [...value]]))).toEqual({
        ce_id: [...bytes('1')],
        'odd bytes': [...odd],
        empty: [],
        Größe: [...bytes('ß')],
      });
      for (const r of found) {
        expect(r.timestampMs).toBeGreaterThanOrEqual(before - 1_000);
        expect(r.timestampMs).toBeLessThanOrEqual(Date.now() + 1_000);
      }
    });

    test('gives offsets that rise and have a hole after every transaction', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      await append(writer, record(topic, 'a', '0'), record(topic, 'a', '1'));
      await append(writer, record(topic, 'a', '2'));
      expect((await readAll(log, topic)).map((r) => r.offset)).toEqual([0n, 1n, 3n]);
      // A transaction is committed before its mark is written.
      const bounds = async () => (await log.admin.describe(topic))?.partitions;
      await until('the marks', async () => (await bounds())?.[0]?.logEnd === 5n);
      expect(await bounds()).toEqual([{ logStart: 0n, logEnd: 5n }]);
    });

    test('lays equal keys in one partition, and spreads keys and keyless records over all', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 4 });
      const writer = await log.writer(unique());
      const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
      await append(writer, ...keys.map((key) => record(topic, key, 'one')));
      await append(writer, ...keys.map((key) => record(topic, key, 'two')));
      await append(writer, ...keys.map(() => record(topic, null, 'none')));
      const partitionOfKey = new Map<string, Set<number>>();
      for (let partition = 0; partition < 4; partition += 1) {
        const found = await readAll(log, topic, partition);
        expect(found.some((r) => r.key !== null)).toBe(true);
        expect(found.some((r) => r.key === null)).toBe(true);
        for (const r of found) {
          if (r.key === null) continue;
          const key = text(r.key) ?? '';
          partitionOfKey.set(key, (partitionOfKey.get(key) ?? new Set()).add(partition));
        }
      }
      expect([...partitionOfKey.values()].every((partitions) => partitions.size === 1)).toBe(true);
      expect(partitionOfKey.size).toBe(40);
    });

    test('appends to several topics all or nothing, and answers with what it read', async () => {
      const log = await harness.open();
      const [one, two] = [await harness.topic(log), await harness.topic(log)];
      const writer = await log.writer(unique());
      const rows = [
        { ...record(one, 'a', '1'), id: 17 },
        { ...record(two, 'a', '2'), id: 18 },
      ];
      const answered = await writer.transaction(() => Promise.resolve(rows));
      expect(answered.map((row) => row.id)).toEqual([17, 18]);
      const tooLarge = record(two, 'a', 'x'.repeat(maxRecordBytes + 1));
      await expect(append(writer, record(one, 'a', 'lost'), tooLarge)).rejects.toThrow(RecordTooLargeError);
      // The refusal is the record's fault: the writer goes on.
      await append(writer, record(one, 'a', '3'));
      expect((await readAll(log, one)).map((r) => text(r.value))).toEqual(['1', '3']);
      expect((await readAll(log, two)).map((r) => text(r.value))).toEqual(['2']);
    });

    test('appends nothing when reading the records fails, or finds none', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      await append(writer, record(topic, 'a', '1'));
      await expect(writer.transaction(() => Promise.reject(new Error('outbox away')))).rejects.toThrow('outbox away');
      expect(await writer.transaction(() => Promise.resolve([]))).toEqual([]);
      await append(writer, record(topic, 'a', '2'));
      expect((await readAll(log, topic)).map((r) => text(r.value))).toEqual(['1', '2']);
    });

    test('takes many records at once, of more bytes than one send may hold', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log, { partitions: 2 });
      const writer = await log.writer(unique());
      const filler = 'x'.repeat(600);
      const records = Array.from({ length: 4_000 }, (_, i) => record(topic, `${i % 50}`, `${i} ${filler}`));
      await append(writer, ...records, record(topic, 'large', 'y'.repeat(300_000)), record(topic, 'large', 'end'));
      const found = [...(await readAll(log, topic, 0)), ...(await readAll(log, topic, 1))];
      expect(found.length).toBe(4_002);
      for (let key = 0; key < 50; key += 1) {
        const ids = found.filter((r) => text(r.key) === `${key}`).map((r) => Number(text(r.value)?.split(' ')[0]));
        expect(ids).toEqual(Array.from({ length: 80 }, (_, n) => n * 50 + key));
      }
    });

    test('refuses a topic that is not there, and a record without a key on a compacted topic', async () => {
      const log = await harness.open();
      const compacted = await harness.topic(log, { cleanup: 'compact' });
      const writer = await log.writer(unique());
      await expect(append(writer, record(compacted, null, 'x'))).rejects.toThrow(TopicMismatchError);
      await expect(append(writer, record(`test.${unique()}.v1`, 'a', 'x'))).rejects.toThrow(TopicMismatchError);
      await append(writer, record(compacted, 'a', 'x'));
      expect((await readAll(log, compacted)).length).toBe(1);
    });

    test('a second writer of the name fences the first at its first transaction, not before', async () => {
      const [first, second] = [await harness.open(), await harness.open()];
      const topic = await harness.topic(first);
      const name = unique();
      const zombie = await first.writer(name);
      await append(zombie, record(topic, 'a', '1'));
      const heir = await second.writer(name);
      await append(zombie, record(topic, 'a', '2'));
      await append(heir, record(topic, 'a', '3'));
      await expect(append(zombie, record(topic, 'a', 'zombie'))).rejects.toThrow(FencedError);
      await expect(append(zombie, record(topic, 'a', 'zombie'))).rejects.toThrow(FencedError);
      await append(heir, record(topic, 'a', '4'));
      expect((await readAll(first, topic)).map((r) => text(r.value))).toEqual(['1', '2', '3', '4']);
    });

    test('a writer that is overtaken between reading and appending leaves nothing behind', async () => {
      const [first, second] = [await harness.open(), await harness.open()];
      const topic = await harness.topic(first);
      const name = unique();
      const zombie = await first.writer(name);
      await append(zombie, record(topic, 'a', '1'));
      const heir = await second.writer(name);
      const overtaken = zombie.transaction(async () => {
        await append(heir, record(topic, 'a', '2'));
        return [record(topic, 'a', 'zombie')];
      });
      await expect(overtaken).rejects.toThrow(FencedError);
      await append(heir, record(topic, 'a', '3'));
      expect((await readAll(second, topic)).map((r) => text(r.value))).toEqual(['1', '2', '3']);
    });

    test('an empty transaction fences too', async () => {
      const [first, second] = [await harness.open(), await harness.open()];
      const topic = await harness.topic(first);
      const name = unique();
      const zombie = await first.writer(name);
      await append(zombie, record(topic, 'a', '1'));
      const heir = await second.writer(name);
      expect(await heir.transaction(() => Promise.resolve([]))).toEqual([]);
      await expect(append(zombie, record(topic, 'a', 'zombie'))).rejects.toThrow(FencedError);
    });

    test('writers of different names do not wait for each other', async () => {
      const log = await harness.open();
      const topics = await Promise.all(Array.from({ length: 3 }, () => harness.topic(log, { partitions: 3 })));
      const writers = await Promise.all(Array.from({ length: 4 }, () => log.writer(unique())));
      await Promise.all(
        writers.map(async (writer, w) => {
          for (let round = 0; round < 15; round += 1) {
            // Each in another order: locks taken in the order of the records would deadlock.
            const order = [0, 1, 2].map((i) => topics[(i + w + round) % 3] ?? '');
            await append(
              writer,
              ...order.flatMap((t) => ['a', 'b', 'c'].map((key) => record(t, key, `${w}/${round}`))),
            );
          }
        }),
      );
      for (const topic of topics) {
        const all = (await Promise.all([0, 1, 2].map((p) => readAll(log, topic, p)))).flat();
        expect(all.length).toBe(4 * 15 * 3);
      }
    });
  });
}
