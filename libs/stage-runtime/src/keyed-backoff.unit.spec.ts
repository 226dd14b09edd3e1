import { expect, it } from 'vitest';
import { KeyedBackoff } from './keyed-backoff.ts';

it('holds back what failed, longer each time, and nothing else', () => {
  const backoff = new KeyedBackoff({ firstMs: 100, maxMs: 400 });
  const first = backoff.failed('a', 0);
  expect(first).toBeGreaterThanOrEqual(20);
  expect(first).toBeLessThanOrEqual(100);
  expect([backoff.isWaiting('a', 10), backoff.isWaiting('b', 10), backoff.isWaiting('a', 101)]).toEqual([
    true,
    false,
    false,
  ]);
  for (let i = 0; i < 5; i++) expect(backoff.failed('a', 0)).toBeLessThanOrEqual(400);
  expect(backoff.failed('a', 0)).toBeGreaterThanOrEqual(80);
  backoff.succeeded('a');
  expect(backoff.isWaiting('a', 1)).toBe(false);
});
