import { defaultLimits, type StopReason } from '@tidemark/judging';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Watch } from './watch.ts';

const SECOND_MS = 1_000;
const limits = { ...defaultLimits, wallTimeMs: SECOND_MS };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Watches a run whose program begins after a while, if ever; it uses no CPU and waits for none. */
function watched(beginsAfterMs: number): StopReason[] {
  const stops: StopReason[] = [];
  const startedAt = performance.now();
  const watch = new Watch(limits, {
    startedAt,
    hasStarted: () => performance.now() - startedAt >= beginsAfterMs,
    cpuTimeMs: () => 0,
    waitedMs: () => 0,
    stop: (reason) => {
      stops.push(reason);
      watch.end();
    },
  });
  return stops;
}

it('never puts down to a program the time that its sandbox took to begin', () => {
  const stops = watched(Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(29 * SECOND_MS);
  expect(stops).toEqual([]);
  vi.advanceTimersByTime(2 * SECOND_MS);
  expect(stops).toEqual(['starved']);
});

it('counts wall time from the beginning of the program', () => {
  const stops = watched(20 * SECOND_MS);
  vi.advanceTimersByTime(20 * SECOND_MS + 900);
  expect(stops).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(stops).toEqual(['wall']);
});
