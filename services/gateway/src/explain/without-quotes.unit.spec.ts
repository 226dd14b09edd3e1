import { Stage } from '@tidemark/proto';
import { expect, it } from 'vitest';
import { type Sight, withoutDetails, withoutQuotes } from './without-quotes.ts';

const said = [{ kind: 'quote', text: 'words of the problem', subject_id: '3' }];
const bare = [{ kind: 'quote', text: '', subject_id: '3' }];
const shown = (stage: Stage, version: number, sight: Sight) =>
  withoutQuotes({ stage, version, evidence: said }, sight)[0]?.text !== '';

it('leaves out what a stage quotes of tests and outputs, also one of a later release, and keeps the rest', () => {
  const sight = { openVersion: 2 };
  expect(withoutQuotes({ stage: Stage.EXECUTE, version: 2, evidence: said }, sight)).toEqual(bare);
  expect(withoutQuotes({ stage: 77 as Stage, version: 2, evidence: said }, sight)).toEqual(bare);
  for (const stage of [Stage.INGEST, Stage.GATEWAY])
    expect(withoutQuotes({ stage, version: 2, evidence: said }, sight)).toEqual(said);
});

it('leaves out what any stage quotes of a text that is not open, and shows everything to who may see everything', () => {
  const quoting = [Stage.NORMALIZE, Stage.DEDUP, Stage.EXECUTE, Stage.SCORE, 77 as Stage];
  for (const stage of quoting) {
    expect(shown(stage, 2, { openVersion: undefined })).toBe(false);
    expect(shown(stage, 2, { openVersion: 1 })).toBe(false);
    expect(shown(stage, 2, 'everything')).toBe(true);
  }
  expect(shown(Stage.NORMALIZE, 2, { openVersion: 2 })).toBe(true);
});

it('leaves out what cleaning found in a text that is not open', () => {
  const notes = [{ code: 'removed_html', count: 2, detail: '<b>words</b>' }];
  const without = [{ code: 'removed_html', count: 2, detail: '' }];
  expect(withoutDetails({ version: 2, notes }, { openVersion: 2 })).toEqual(notes);
  expect(withoutDetails({ version: 2, notes }, 'everything')).toEqual(notes);
  for (const openVersion of [undefined, 1, 3])
    expect(withoutDetails({ version: 2, notes }, { openVersion })).toEqual(without);
});
