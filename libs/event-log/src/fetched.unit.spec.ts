import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, type Fetched, takeBatch } from './fetched.ts';
import type { LogRecord } from './port.ts';

const record = (offset: bigint, size: number): LogRecord => ({
  topic: 't',
  partition: 0,
  offset,
  timestampMs: 0,
  key: null,
  value: Buffer.alloc(size),
  headers: {},
});

const fetchedOf = (sizes: readonly number[]): Fetched => {
  const records = sizes.map((size, index) => record(BigInt(10 + index * 2), size));
  return { partition: 0, from: 10n, records, nextOffset: 10n + BigInt(sizes.length * 2), logStart: 0n, logEnd: 999n };
};

const sizes = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 });
const limits = fc.record({ maxRecords: fc.integer({ min: 1, max: 9 }), maxBytes: fc.integer({ min: 0, max: 120 }) });

test('batches taken off the front are within the limits, join without a gap, and hold every record once', () => {
  fc.assert(
    fc.property(sizes, limits, (given, limit) => {
      const whole = fetchedOf(given);
      const taken: LogRecord[] = [];
      let left: Fetched | undefined = whole;
      let position = whole.from;
      while (left !== undefined) {
        const [batch, rest]: readonly [Fetched, Fetched | undefined] = takeBatch(left, limit);
        expect(batch.from).toBe(position);
        expect(batch.records.length).toBeLessThanOrEqual(limit.maxRecords);
        if (batch.records.length > 1) expect(bytesOf(batch)).toBeLessThanOrEqual(limit.maxBytes);
        if (rest !== undefined) expect(batch.records.length).toBeGreaterThan(0);
        taken.push(...batch.records);
        position = batch.nextOffset;
        left = rest;
      }
      expect(taken).toEqual(whole.records);
      expect(position).toBe(whole.nextOffset);
    }),
  );
});
