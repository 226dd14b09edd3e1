import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatewayClient } from '../gateway-client.ts';
import type { StatusService } from '../status.ts';
import { isPublished, untilQuiet } from './publish-sample.ts';
import { linesOf, readSample } from './sample.ts';

const execute = (jobs: number, reasons: readonly string[]): StatusService => ({
  service: 'execute',
  reachable: true,
  quiet: jobs === 0,
  lag: 0,
  outbox: 0,
  jobs,
  pending: {},
  dead_letters: 0,
  not_ready: reasons,
});

/** Answers one status after the other, the last for ever. */
function waiting(...answers: readonly (readonly StatusService[])[]) {
  return waitingFor(false, ...answers);
}

function waitingFor(exceptEvaluation: boolean, ...answers: readonly (readonly StatusService[])[]) {
  let asked = 0;
  const client = {
    answer: () => {
      const services = answers[Math.min(asked++, answers.length - 1)] ?? [];
      const quiet = services.every((one) => one.reachable && one.quiet);
      return Promise.resolve({ quiet, problems: 1, funnel: [], targets: [], services });
    },
  };
  const standsStill = (reasons: readonly string[]) => {
    throw new Error(reasons.join('; '));
  };
  const publishing = {
    client: client as unknown as GatewayClient,
    signal: new AbortController().signal,
    says: () => undefined,
    standsStill,
  };
  return untilQuiet(publishing, { lookMs: 1, standstillMs: 20, exceptEvaluation });
}

describe('waiting for quiet', () => {
  it('ends with the reason when nothing moves and a service can not work', async () => {
    await expect(waiting([execute(3, ['no bubblewrap'])])).rejects.toThrow('execute: no bubblewrap');
  });

  it('goes on while something moves, and while nobody says why nothing does', async () => {
    const moving = Array.from({ length: 60 }, (_, i) => [execute(100 - i, ['no bubblewrap'])]);
    await waiting(...moving, [execute(0, [])]);
    const slow = Array.from({ length: 60 }, () => [execute(3, [])]);
    await waiting(...slow, [execute(0, [])]);
  });

  it('ends with the name of a service that can not be asked', async () => {
    await expect(waiting([{ service: 'score', reachable: false, error: 'it is away' }])).rejects.toThrow(
      'score: it is away',
    );
  });
});

describe('waiting for all but an evaluation', () => {
  const calibrate = (jobs: number, pending: Record<string, number>): StatusService => ({
    service: 'calibrate',
    reachable: true,
    quiet: false,
    lag: 0,
    outbox: 0,
    jobs,
    pending,
    dead_letters: 0,
    not_ready: [],
  });
  const graded = [execute(0, []), calibrate(0, { unevaluatedGroups: 7 })];

  it('ends when two looks see that groups wait for it, and nothing else', async () => {
    await waitingFor(true, [execute(2, []), calibrate(0, { unevaluatedGroups: 5 })], graded);
  });

  it.each([
    ['attempts are graded', [execute(1, ['still']), graded[1]]],
    ['a command is carried out', [graded[0], calibrate(0, { unevaluatedGroups: 7, evaluations: 1 })]],
    ['calibrate has other work', [graded[0], calibrate(1, { unevaluatedGroups: 7 })]],
  ] as [string, StatusService[]][])('goes on while %s', async (_what, services) => {
    const [first, ...rest] = services.map((one) => ({ ...one, not_ready: ['goes on'] }));
    await expect(waitingFor(true, [first as StatusService, ...rest])).rejects.toThrow('goes on');
  });
});

describe('the sample', () => {
  const sample = readSample(resolve(import.meta.dirname, '../../../../samples'));
  const publishedWith = (missing: number) => {
    const json = (_path: string, { query }: { query: { source_file: string } }) =>
      Promise.resolve({ groups: Array(linesOf(sample, query.source_file).length - missing).fill({}) });
    const client = { json } as unknown as GatewayClient;
    const { signal } = new AbortController();
    return isPublished({ client, signal, says: () => undefined, standsStill: () => undefined }, sample);
  };

  it('was published when the gateway knows each of its groups', async () => {
    expect(await publishedWith(0)).toBe(true);
    expect(await publishedWith(1)).toBe(false);
  });
});
