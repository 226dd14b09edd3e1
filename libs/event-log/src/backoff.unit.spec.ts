import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backoff, sleep } from './backoff.ts';
import { Wakeup } from './wakeup.ts';

test('waits stay between half of the doubling and the bound, and begin anew after a success', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 500, max: 60_000 }), (firstMs, longestMs) => {
      const backoff = new Backoff({ firstMs, longestMs });
      for (let failure = 0; failure < 40; failure += 1) {
        const whole = Math.min(longestMs, firstMs * 2 ** failure);
        const wait = backoff.next();
        expect(wait).toBeGreaterThanOrEqual(Math.floor(whole / 2));
        expect(wait).toBeLessThanOrEqual(Math.ceil(whole));
      }
      backoff.succeeded();
      expect(backoff.failures).toBe(0);
      expect(backoff.next()).toBeLessThanOrEqual(firstMs);
    }),
  );
});

test('an aborted sleep ends at once and is no error', async () => {
  const ending = new AbortController();
  const sleeping = sleep(60_000, ending.signal);
  ending.abort();
  await sleeping;
  await sleep(60_000, ending.signal);
});

test('news that comes while nobody sleeps is kept for the next sleep, once', async () => {
  const wakeup = new Wakeup();
  wakeup.signal();
  wakeup.signal();
  await wakeup.wait();
  let awake = false;
  const second = wakeup.wait().then(() => {
    awake = true;
  });
  await wakeTick();
  expect(awake).toBe(false);
  wakeup.signal();
  await second;
  await wakeup.wait(1);
});

/** Whatever was about to wake has woken. */
const wakeTick = () => new Promise((resolve) => setImmediate(resolve));
