import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTextCase, runTextCase } from '../testing/text-cases.ts';

const shared = process.env.TIDEMARK_SHARED ?? resolve(import.meta.dirname, '../../../../../shared');
const file = join(shared, 'cases/text.jsonl');
const absent = !existsSync(file);
if (absent) console.warn('SKIPPED: the bank of text hazards is not here (../shared/cases, or TIDEMARK_SHARED)');

/** Cases that today's cleaning treats as the bank wants; `npm run cases` shows those that wait for more. */
const TREATED = 'T009 T010 T012 T022 T030 T038 T041 T047 T048 T071'.split(' ');

describe.skipIf(absent)('the bank of text hazards', () => {
  const cases = absent ? [] : readFileSync(file, 'utf8').split('\n').filter(Boolean).map(readTextCase);
  const chosen = cases.filter(({ id }) => TREATED.includes(id));

  it('holds the cases named here', () => {
    expect(chosen.map(({ id }) => id).sort()).toEqual(TREATED);
  });

  it.each(chosen.map((bank) => [bank.id, bank.title, bank] as const))('%s: %s', async (_id, _title, bank) => {
    const outcome = await runTextCase(bank, () => Promise.reject(new Error('this needs no program')));
    expect(outcome.details).toEqual([]);
  });
});
