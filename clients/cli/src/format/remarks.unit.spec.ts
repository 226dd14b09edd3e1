import { expect, it } from 'vitest';
import { groupText } from '../tell-failures.ts';
import { Remarks } from './remarks.ts';

const away = { stage: 'dedup', reason: 'exact_duplicate', instead: 'original' };

it('says of groups that do not count why, and which problem to attempt, once for all of them', () => {
  const remarks = new Remarks();
  for (let i = 0; i < 3; i++) remarks.add({ group: `g${i}`, problem_id: 'copy', turned_away: away });
  const said =
    'problem copy was turned away by dedup (exact duplicate), and attempts at it do not count: report attempts at original';
  expect(remarks.lines()).toEqual([`${said} (3 records)`]);
  const group = { group: 'g', problem_id: 'copy', turned_away: away };
  expect(groupText({ ...group, state: 'graded' })).toBe(`group g is graded, but ${said}`);
  expect(groupText({ ...group, state: 'waiting', waits_for: { kind: 'verification', name: 'copy' } })).toBe(
    `group g waits, but ${said}`,
  );
});
