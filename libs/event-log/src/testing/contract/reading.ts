import { describe, expect, test } from 'vitest';
import { OffsetOutOfRangeError, TopicMismatchError } from '../../errors.ts';
import { text } from '../collector.ts';
import { append, type Harness, record, unique, until } from '../harness.ts';

/** Reading one partition without a group. */
export function describeReading(harness: Harness): void {
  describe('reading', () => {
    test('reads from an offset until an offset', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      for (const value of ['0', '2', '4', '6']) await append(writer, record(topic, 'a', value));
      const read = async (from: bigint, end: bigint) => {
        const values: (string | null)[] = [];
        const signal = AbortSignal.timeout(20_000);
        for await (const r of log.read({ topic, partition: 0, from, until: end, signal })) values.push(text(r.value));
        expect(signal.aborted).toBe(false);
        return values;
      };
      expect(await read(0n, 8n)).toEqual(['0', '2', '4', '6']);
      expect(await read(2n, 5n)).toEqual(['2', '4']);
      expect(await read(3n, 4n)).toEqual([]);
      expect(await read(7n, 8n)).toEqual([]);
      expect(await read(8n, 8n)).toEqual([]);
    });

    test('follows the log until it is told to end', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const ending = new AbortController();
      const values: (string | null)[] = [];
      const done = (async () => {
        for await (const r of log.read({ topic, partition: 0, from: 0n, signal: ending.signal })) {
          values.push(text(r.value));
        }
      })();
      await append(writer, record(topic, 'a', '1'));
      await until('the first', () => values.length === 1);
      await append(writer, record(topic, 'a', '2'));
      await until('the second', () => values.length === 2);
      ending.abort();
      await done;
      expect(values).toEqual(['1', '2']);
    });

    test('an offset outside the log is an error', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      await append(writer, record(topic, 'a', '1'));
      await append(writer, record(topic, 'a', '2'));
      await log.admin.deleteRecords(topic, 0, 2n);
      const signal = AbortSignal.timeout(20_000);
      const first = async (from: bigint, partition = 0, name = topic) => {
        for await (const r of log.read({ topic: name, partition, from, until: 9n, signal })) return text(r.value);
        return undefined;
      };
      await expect(first(0n)).rejects.toThrow(OffsetOutOfRangeError);
      await expect(first(5n)).rejects.toThrow(OffsetOutOfRangeError);
      await expect(first(0n, 3)).rejects.toThrow(TopicMismatchError);
      await expect(first(0n, 0, `test.${unique()}.v1`)).rejects.toThrow(TopicMismatchError);
      expect(await first(2n)).toBe('2');
    });
  });
}
