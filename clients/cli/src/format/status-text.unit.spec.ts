import { describe, expect, it } from 'vitest';
import type { Status } from '../status.ts';
import { statusText } from './status-text.ts';

const bins = (hard: number, medium: number) => ({
  hard: { curated: hard, predicted: 0, measured: hard },
  medium: { curated: medium, predicted: 2, measured: 1 },
});

const status: Status = {
  quiet: false,
  problems: 1_234,
  funnel: [
    { state: 'ready', stage: '', reason: 'train', problems: 1_000 },
    { state: 'rejected', stage: 'normalize', reason: 'no_tests', problems: 34 },
    { state: 'waiting', stage: 'execute', reason: 'stage:execute', problems: 200 },
  ],
  intake: { problems_refused: 3, rollouts_refused: 0 },
  targets: [
    {
      target: 'model',
      version: 1,
      checkpoint_ordinal: 1,
      checkpoint: 'base',
      bins: bins(4, 8),
      panel: 0,
      curated: 12,
      set_aside: 1,
      reserve: 7,
      groups: 2,
      attempts: 16,
      passes: 4,
      environment_failures: 1,
      evaluations: 1,
      moves: 0,
    },
  ],
  rates_per_second: { groups: 2.5, statuses: 0 },
  services: [
    { service: 'dedup', reachable: true, quiet: true, lag: 0, outbox: 0, jobs: 0, pending: {}, dead_letters: 0 },
    { service: 'execute', reachable: true, quiet: false, lag: 3, outbox: 0, jobs: 1, pending: {}, dead_letters: 2 },
    { service: 'score', reachable: false, error: 'refused' },
  ],
};

describe('the status for people', () => {
  it('shows the funnel with reasons, bins with bars, and who is busy', () => {
    expect(statusText(status)).toEqual([
      '1,234 problems, 3 refused at the door',
      'state                                         problems',
      'waiting                                            200',
      '  execute: its reference solutions to be run       200  ████▊',
      'rejected                                            34',
      '  no tests (normalize)                              34  ▉',
      'ready                                            1,000',
      '  for training                                   1,000  ████████████████████████',
      '',
      'target model, version 1, checkpoint base',
      '  2 groups, 16 attempts, 25.0% passed, 1 environment failure not counted; 1 evaluation, 0 moves between bins',
      '  working set 12, panel 0, set aside 1, in reserve 7',
      '  bin       measured  curated',
      '  unsolved         0        0',
      '  hard             4        4               ████████████',
      '  medium           1        8  2 predicted  ████████████████████████',
      '  easy             0        0',
      '  mastered         0        0',
      '',
      'On its way (2.5 groups/s):',
      'execute  3 records to read, 1 job, 2 records laid aside',
      'score    does not answer: refused',
    ]);
  });

  it('says what groups wait for, that may never come', () => {
    const waiting = [
      { kind: 'target', name: 'my-modle', count: 3 },
      { kind: 'checkpoint', name: 'step-9 of model', count: 1 },
      ...Array.from({ length: 5 }, (_, index) => ({ kind: 'problem', name: `p${index}`, count: 1 })),
    ];
    const lines = statusText({ ...status, waiting });
    expect(lines).toContain('3 groups wait: target my-modle is not declared: tidemark target declare my-modle');
    expect(lines).toContain(
      '1 group waits: checkpoint step-9 of model is not known: tidemark checkpoint advance model step-9',
    );
    expect(lines).toContain('2 groups more wait (tidemark status --json)');
  });

  it('says so when all is quiet', () => {
    expect(statusText({ ...status, quiet: true, services: [], targets: [] }).at(-1)).toBe(
      'All is quiet: nothing is on its way.',
    );
  });
});
