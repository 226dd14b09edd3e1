import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { describe, expect, test } from 'vitest';
import { partitionOf } from './partitioner.ts';

describe('partitionOf', () => {
  test('agrees with the default partitioner of Kafka clients', () => {
    const reference = Partitioners.DefaultPartitioner();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 24 }), (key, count) => {
        const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
          partitionErrorCode: 0,
          partitionId,
          leader: 1,
          replicas: [1],
          isr: [1],
        }));
        const message = { key: Buffer.from(key), value: null };
        expect(partitionOf(key, count)).toBe(reference({ topic: 't', partitionMetadata, message }));
      }),
    );
  });

  test('reads a key that lies inside a larger buffer', () => {
    const whole = Buffer.from('xxproblem-17yy');
    expect(partitionOf(whole.subarray(2, 12), 12)).toBe(partitionOf(Buffer.from('problem-17'), 12));
  });
});
