import { describe, expect, it } from 'vitest';
import type { Standing } from './decide-cluster.ts';
import { type ClusterFacts, decideWords, type Said } from './decide-words.ts';

const nothing: Said = { uniqueVersion: 0, withdrawnVersion: 0, said: '' };
const facts: ClusterFacts = { founderId: 'a', split: 'train', size: 1, equalStatements: [] };
const represents: Standing = { kind: 'represents' };
const duplicate: Standing = { kind: 'duplicate', of: 'b' };
const published = decideWords(1, represents, facts, nothing).next;

const said = (version: number, standing: Standing, before: Said, about = facts) => {
  const { unique, status, withdrawal } = decideWords(version, standing, about, before);
  return [unique && 'unique', status && 'status', withdrawal].filter(Boolean).join(' ');
};

describe('what is said of a problem', () => {
  it.each<[string, number, Standing, Said, string]>([
    ['that represents for the first time', 1, represents, nothing, 'unique status'],
    ['that still represents', 1, represents, published, ''],
    ['that represents with a new version', 2, represents, published, 'unique status'],
    ['that never represented', 1, duplicate, nothing, 'status'],
    ['that no longer represents', 1, duplicate, published, 'status withdraw'],
    ['that another stage ended', 1, { kind: 'excluded' }, published, ''],
    [
      'that is found in a benchmark',
      1,
      { kind: 'contaminated', by: { benchmark: 'b', itemId: '1', similarity: 1 } },
      published,
      'status withdraw',
    ],
    [
      'that represents again',
      1,
      represents,
      decideWords(1, duplicate, facts, published).next,
      'unique status take_back',
    ],
    [
      'whose new version represents after the old was withdrawn',
      2,
      represents,
      decideWords(1, duplicate, facts, published).next,
      'unique status',
    ],
    ['that is to be said again', 1, represents, { ...published, said: '' }, 'unique status'],
  ])('%s', (_, version, standing, before, words) => {
    expect(said(version, standing, before)).toBe(words);
  });

  it('is a record alone when only founder or side of its cluster changed', () => {
    expect(said(1, represents, published, { ...facts, founderId: 'b' })).toBe('unique');
    expect(said(1, represents, published, { ...facts, split: 'held_out' })).toBe('unique');
  });

  it('is a status too when it would be put otherwise now', () => {
    expect(said(1, represents, published, { ...facts, size: 2 })).toBe('unique status');
    const flagged = { ...facts, equalStatements: ['c'] };
    expect(said(1, represents, published, flagged)).toBe('unique status');
    const then = decideWords(1, represents, flagged, published).next;
    expect(said(1, represents, then, { ...facts, equalStatements: ['c', 'd'] })).toBe('unique status');
  });

  it('names the new successor of one that was withdrawn', () => {
    const withdrawn = decideWords(1, duplicate, facts, published).next;
    expect(said(1, { kind: 'duplicate', of: 'c' }, withdrawn)).toBe('status withdraw');
  });
});
