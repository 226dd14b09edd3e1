import { describe, expect, it } from 'vitest';
import type { Status } from '../api/types.ts';
import { flowOf } from './flow-model.ts';

const bins = (medium: number, hard: number) =>
  Object.fromEntries(
    Object.entries({ mastered: 0, easy: 0, medium, hard, unsolved: 0 }).map(([bin, curated]) => [
      bin,
      { curated, predicted: 0, measured: 0 },
    ]),
  );

const status: Status = {
  at: '2026-11-30T12:00:00.000Z',
  quiet: true,
  problems: 20,
  funnel: [
    { state: 'rejected', stage: 'normalize', reason: 'no_tests', problems: 4 },
    { state: 'waiting', stage: 'execute', reason: 'stage:execute', problems: 2 },
    { state: 'dead_lettered', stage: 'dedup', reason: 'unforeseen', problems: 1 },
    { state: 'withdrawn', stage: 'gateway', reason: 'by_producer', problems: 1 },
    { state: 'ready', stage: '', reason: 'train', problems: 10 },
    { state: 'ready', stage: '', reason: 'held_out', problems: 2 },
  ],
  intake: { problems_refused: 3 },
  targets: [
    {
      target: 'model',
      version: 1,
      checkpoint_ordinal: 1,
      checkpoint: 'base',
      bins: bins(5, 2),
      panel: 1,
      curated: 7,
      set_aside: 2,
      reserve: 0,
      groups: 0,
      attempts: 0,
      passes: 0,
      environment_failures: 0,
      evaluations: 0,
      moves: 0,
    },
  ],
  rates_per_second: {},
  services: [],
};

const sums = (status: Status, target?: string) => {
  const { nodes, links } = flowOf(status, target);
  return nodes.map(({ id }) => ({
    id,
    entering: links.filter((link) => link.target === id).reduce((sum, { value }) => sum + value, 0),
    leaving: links.filter((link) => link.source === id).reduce((sum, { value }) => sum + value, 0),
  }));
};

describe('the flow', () => {
  it('lets out of each node what went in, up to where problems are now', () => {
    for (const { id, entering, leaving } of sums(status, 'model')) {
      if (id === 'offered') expect(leaving).toBe(23);
      else if (leaving > 0) expect([id, leaving]).toEqual([id, entering]);
      else expect(entering).toBeGreaterThan(0);
    }
  });

  it('counts what each step was given', () => {
    const entering = Object.fromEntries(sums(status).map((sum) => [sum.id, sum.entering]));
    expect(entering).toMatchObject({ ingest: 20, normalize: 20, dedup: 16, execute: 15, score: 13, train: 10 });
  });

  it('leads from each way out to the list of the problems that took it', () => {
    const { nodes } = flowOf(status, undefined);
    expect(nodes.find(({ label }) => label === 'no tests')?.href).toBe(
      '/problems?state=rejected&stage=normalize&reason=no_tests',
    );
    expect(nodes.find(({ kind }) => kind === 'waiting')?.label).toBe('waiting: references to be run');
  });

  it('puts the small ones of many reasons together, and loses none', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      state: 'rejected',
      stage: 'ingest',
      reason: `reason_${index}`,
      problems: index + 1,
    }));
    const { nodes, links } = flowOf({ ...status, problems: 78, funnel: many, targets: [] }, undefined);
    expect(nodes.filter(({ kind }) => kind === 'rejected')).toHaveLength(8);
    const out = links.filter(({ source }) => source === 'ingest');
    expect(out.reduce((sum, { value }) => sum + value, 0)).toBe(78);
    expect(nodes.some(({ label }) => label === '6 other reasons')).toBe(true);
  });

  it('draws no further than problems came', () => {
    const funnel = [{ state: 'waiting', stage: 'ingest', reason: 'stage:ingest', problems: 5 }];
    const { nodes } = flowOf({ ...status, problems: 5, funnel, targets: [], intake: {} }, undefined);
    expect(nodes.map(({ id }) => id)).toEqual(['offered', 'ingest', 'ingest:waiting:stage:ingest']);
  });
});
