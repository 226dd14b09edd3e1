import { describe, expect, it } from 'vitest';
import { decideBeginning, type Position, positionText, readPosition } from './position.ts';

const topic = {
  incarnation: 'life-2',
  partitions: [
    { logStart: 5n, logEnd: 20n },
    { logStart: 0n, logEnd: 7n },
  ],
};
const WEEK = 7 * 86_400_000;
const position: Position = { incarnation: 'life-2', next: [9n, 7n], givenMs: 1_000 };
const begin = (changes: Partial<Position>, nowMs = 2_000) =>
  decideBeginning(positionText({ ...position, ...changes }), topic, nowMs, WEEK);

describe('where a follower begins', () => {
  it('is where it left off', () => {
    expect(begin({})).toEqual({ kind: 'resumed', next: [9n, 7n] });
    expect(begin({ next: [5n, 0n] }).kind).toBe('resumed');
    expect(begin({}, 1_000 + WEEK).kind).toBe('resumed');
  });

  it.each([
    ['it was away for longer than tombstones are kept', {}, 1_001 + WEEK],
    ['the topic is another one', { incarnation: 'life-1' }, 2_000],
    ['the log begins later', { next: [4n, 7n] }, 2_000],
    ['the log ends before', { next: [9n, 8n] }, 2_000],
    ['partitions are missing', { next: [9n] }, 2_000],
  ])('is the start when %s', (_, changes, nowMs) => {
    expect(begin(changes, nowMs)).toMatchObject({ kind: 'restarted', next: [5n, 0n] });
  });

  it.each(['', 'nonsense', '{}', Buffer.from('{"i":1}').toString('base64url'), '\u0000'.repeat(50)])(
    'is the start for %j',
    (text) => {
      expect(decideBeginning(text, topic, 2_000, WEEK)).toMatchObject({ kind: 'restarted', next: [5n, 0n] });
    },
  );

  it('is carried by a text', () => {
    expect(readPosition(positionText(position))).toEqual(position);
  });
});
