import { describe, expect, it } from 'vitest';
import { Limiter } from './limits.ts';

const limits = { perSecond: 10, atOnce: 3 };
const kindsOf = (limiter: Limiter, user: string, times: number, nowMs: number) =>
  Array.from({ length: times }, () => {
    const room = limiter.take(user, nowMs);
    if (room.kind === 'taken') room.release();
    return room.kind;
  });

describe('limits of a token', () => {
  it('let a burst of two seconds through, then the rate', () => {
    const limiter = new Limiter(limits);
    expect(kindsOf(limiter, 'a', 21, 0)).toEqual([...Array<string>(20).fill('taken'), 'too often']);
    expect(limiter.take('a', 0)).toEqual({ kind: 'too often', retryAfterSeconds: 1 });
    expect(kindsOf(limiter, 'a', 11, 1_000)).toEqual([...Array<string>(10).fill('taken'), 'too often']);
  });

  it('hold places at once until they are given back, once', () => {
    const limiter = new Limiter(limits);
    const rooms = [1, 2, 3].map(() => limiter.take('a', 0));
    expect(limiter.take('a', 0)).toEqual({ kind: 'too many at once', retryAfterSeconds: 5 });
    const [first] = rooms;
    if (first?.kind === 'taken') {
      first.release();
      first.release();
    }
    expect(limiter.take('a', 0).kind).toBe('taken');
    expect(limiter.take('a', 0).kind).toBe('too many at once');
  });

  it('count each token apart', () => {
    const limiter = new Limiter(limits);
    for (let n = 0; n < 3; n++) limiter.take('a', 0);
    expect(limiter.take('b', 0).kind).toBe('taken');
  });

  it('remember a bounded number of users, and those with requests in hand', () => {
    const limiter = new Limiter(limits);
    for (let n = 0; n < 3; n++) limiter.take('busy', 0);
    for (let n = 0; n < 25_000; n++) kindsOf(limiter, `user ${n}`, 1, 0);
    expect((limiter as unknown as { uses: Map<string, unknown> }).uses.size).toBe(10_000);
    expect(limiter.take('busy', 0).kind).toBe('too many at once');
  });
});
