import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatabase, type TestDatabase } from '../testing/database.ts';
import { decideCounting } from '../on-rollouts-graded/decide-counting.ts';
import { graded, NOW_HOUR } from '../testing/events.ts';
import { noteCounted } from './counted-groups.ts';
import { firstOpenHour } from './evidence.ts';
import { closeWindows } from './windows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database?.stop());

const group = (groupId: string, intakeHour: number) => {
  const counting = decideCounting(graded(groupId, 'p', { intakeHour }));
  if (counting.kind !== 'count') throw new Error(counting.kind);
  return counting;
};

it('forgets ids when their window is over, and refuses what belongs to it from then on', async () => {
  await noteCounted(database, [group('old', NOW_HOUR - 25), group('edge', NOW_HOUR - 23), group('new', NOW_HOUR)]);
  await closeWindows(database, 24);
  // The hour may turn between the fixture's clock and the database's.
  expect([NOW_HOUR - 24, NOW_HOUR - 23]).toContain(await firstOpenHour(database));
  const left = await database.query<{ group_id: string }>('SELECT group_id FROM counted_group ORDER BY 1');
  expect(left.map((row) => row.group_id)).toEqual(expect.arrayContaining(['new']));
  expect(left.map((row) => row.group_id)).not.toContain('old');
});

it('never opens a closed window again', async () => {
  await closeWindows(database, 24);
  const before = await firstOpenHour(database);
  await closeWindows(database, 48);
  expect(await firstOpenHour(database)).toBe(before);
});

it('waits for a batch that counts groups of the window right now', async () => {
  const order: string[] = [];
  let closing: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    await firstOpenHour(tx);
    closing = database.transaction((other) => closeWindows(other, 1)).then(() => void order.push('closed'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    order.push('counted');
  });
  await closing;
  expect(order).toEqual(['counted', 'closed']);
});
