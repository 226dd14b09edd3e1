import { expect, test } from 'vitest';
import { FetchPace } from './fetch-pace.ts';

const room = 16 << 20;

/** What comes, round by round, of a partition that holds plenty of records that grow so much on their way. */
const rounds = (pace: FetchPace, growth: number, count: number): number[] =>
  Array.from({ length: count }, () => {
    const came = pace.ask(room).maxBytes * growth;
    pace.got(came, true);
    return came;
  });

test('asks for no more a partition than a batch may have, and for no more than there is room', () => {
  const pace = new FetchPace(1 << 20);
  rounds(pace, 0.4, 10);
  expect(pace.ask(room)).toEqual({ maxBytes: room, maxBytesPerPartition: 1 << 20 });
  expect(pace.ask(40_000)).toEqual({ maxBytes: 40_000, maxBytesPerPartition: 40_000 });
});

test.each([1, 3, 10, 50])(
  'finds what brings about as much as there is room for: records that grow %d times',
  (growth) => {
    const [first = 0, ...later] = rounds(new FetchPace(1 << 20), growth, 12);
    expect(first).toBe((room * growth) / 16);
    for (const came of later) expect(came).toBeLessThanOrEqual(room * 1.01);
    expect(later.at(-1)).toBeGreaterThanOrEqual(room / 2);
  },
);

test('learns nothing from a partition that held little', () => {
  const pace = new FetchPace(1 << 20);
  const before = pace.ask(room);
  for (let round = 0; round < 20; round += 1) {
    pace.ask(room);
    pace.got(100, false);
  }
  expect(pace.ask(room)).toEqual(before);
});
