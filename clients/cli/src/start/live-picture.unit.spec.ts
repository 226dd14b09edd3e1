import { describe, expect, it } from 'vitest';
import type { Status } from '../status.ts';
import { livePicture } from './live-picture.ts';

const bins = Object.fromEntries(
  ['unsolved', 'hard', 'medium', 'easy', 'mastered'].map((bin) => [bin, { curated: 3, predicted: 1, measured: 2 }]),
);
const target = (name: string) => ({
  ...{
    target: name,
    version: 1,
    checkpoint_ordinal: 1,
    checkpoint: 'published',
    bins,
    panel: 0,
    curated: 63,
    set_aside: 10,
    reserve: 0,
  },
  ...{ groups: 62, attempts: 496, passes: 86, environment_failures: 0, evaluations: 1, moves: 0 },
});
const rejected = ['reference_failed', 'exact_duplicate', 'no_tests', 'contaminated', 'no_reference'];
const status: Status = {
  quiet: false,
  problems: 102,
  funnel: [
    { state: 'waiting', stage: 'execute', reason: 'tests_missing', problems: 1 },
    ...rejected.map((reason) => ({ state: 'rejected', stage: 'execute', reason, problems: 3 })),
    { state: 'ready', stage: '', reason: 'train', problems: 73 },
    { state: 'ready', stage: '', reason: 'held_out', problems: 13 },
  ],
  intake: { problems_refused: 13, rollouts_refused: 0 },
  targets: [target('smollm2-135m-instruct'), target('written-student')],
  rates_per_second: { groups: 4 },
  services: ['execute', 'score', 'dedup', 'calibrate', 'select'].map((service) => ({
    ...{ service, reachable: true, quiet: false, lag: 3, outbox: 0, jobs: 1, pending: {}, dead_letters: 0 },
  })),
};
const caption = {
  address: 'Tidemark on http://127.0.0.1:7400',
  places: [
    'data in /a/long/path/of/somebody/.tidemark/data',
    'log in /a/long/path/of/somebody/.tidemark/data/tidemark.log',
  ],
  step: 'written-student, checkpoint sixth-week: 54 groups of attempts, each program runs in the sandbox',
  ended: false,
};

describe('the live picture', () => {
  it.each([
    [24, 80],
    [10, 40],
    [3, 20],
    [60, 120],
  ])('fits %i rows of %i columns, the address first and the step last', (rows, columns) => {
    const lines = livePicture(status, caption, rows, columns);
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toBe(
      caption.address.length <= columns ? caption.address : `${caption.address.slice(0, columns - 1)}…`,
    );
    expect(lines.at(-1)?.slice(0, columns - 1)).toBe(caption.step.slice(0, Math.min(columns - 1, caption.step.length)));
  });

  it('shows funnel and bins on a terminal of 24 rows, and everything on a high one', () => {
    const small = livePicture(status, caption, 23, 79).join('\n');
    expect(small).toContain('reference failed (execute)');
    expect(small).toMatch(/written-student: .*hard 2/);
    const large = livePicture(status, caption, 60, 200).join('\n');
    for (const part of [...caption.places, '17.3% passed', 'On its way', 'select ']) expect(large).toContain(part);
  });

  it('does not say that all is quiet between two steps', () => {
    const quiet = { ...status, quiet: true, services: [] };
    expect(livePicture(quiet, caption, 60, 120).join('\n')).not.toContain('All is quiet');
    expect(livePicture(quiet, { ...caption, ended: true }, 60, 120).join('\n')).toContain('All is quiet');
  });
});
