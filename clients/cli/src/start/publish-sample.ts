import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pause } from '../context.ts';
import { plural } from '../format/table.ts';
import type { GatewayClient } from '../gateway-client.ts';
import { readStatus } from '../commands/status.ts';
import { notReady, type Status } from '../status.ts';
import { patiently } from './patiently.ts';
import { linesOf, linesOfCheckpoint, type Sample } from './sample.ts';

const LOOK_MS = 500;

/** What publishing works with. */
export interface Publishing {
  readonly client: GatewayClient;
  readonly signal: AbortSignal;
  /** Says what happens now. */
  says(step: string): void;
  /** Nothing has moved for a while, and these services can't work. May throw to end the wait. */
  standsStill(reasons: readonly string[]): void;
}

/**
 * Publishes the sample as its users would: benchmark, targets, problems, then the attempts of each checkpoint, each
 * followed by an evaluation. Publishing it again counts nothing twice, and judges it again.
 */
export async function publishSample(publishing: Publishing, sample: Sample): Promise<void> {
  const { client, says } = publishing;
  const { content, folder } = sample;
  for (const { name, file } of content.benchmarks) {
    const set = await patiently(publishing, () => {
      const stream = { type: 'application/x-ndjson', content: createReadStream(join(folder, file)) };
      return client.json(`/v1/benchmarks/${name}`, { method: 'PUT', stream });
    });
    says(`benchmark ${name} (${plural(Number(set.problems), 'problem')}): what contains one of them will be rejected`);
  }
  for (const { target, settings, checkpoints } of content.targets) {
    const body = { ...settings, checkpoint: checkpoints[0]?.checkpoint };
    await patiently(publishing, () => client.json(`/v1/targets/${target}`, { method: 'PUT', body }));
    says(`target ${target} declared`);
  }
  for (const { file, format, namespace, originKind: origin, licence } of content.problems) {
    const query = { format, namespace, origin, licence, source_file: file };
    const { accepted, refused } = await patiently(publishing, () =>
      upload(client, '/v1/problems', createReadStream(join(folder, file)), query),
    );
    says(`${file}: ${plural(accepted, 'record')} taken${refused > 0 ? `, ${refused} refused at the door` : ''}`);
  }
  await untilQuiet(publishing);
  for (const { target, checkpoints } of content.targets) {
    for (const { checkpoint, ordinal } of checkpoints) {
      await patiently(publishing, () =>
        client.json(`/v1/targets/${target}/checkpoints`, { method: 'POST', body: { checkpoint, ordinal } }),
      );
      for (const { file } of content.rollouts.filter((one) => one.target === target)) {
        const lines = Buffer.from(linesOfCheckpoint(sample, file, checkpoint));
        const { accepted } = await patiently(publishing, () =>
          upload(client, '/v1/rollouts', Readable.from([lines]), { source_file: file }),
        );
        says(
          `${target}, checkpoint ${checkpoint}: ${plural(accepted, 'group')} of attempts, each program runs in the sandbox`,
        );
      }
      await untilQuiet(publishing, { exceptEvaluation: true });
      await evaluate(publishing, target);
      says(`${target}, checkpoint ${checkpoint}: evaluated`);
    }
  }
}

/** Whether every group of the sample was taken before, and the gateway still knows it: publishing it again only judges again. */
export async function isPublished(publishing: Publishing, sample: Sample): Promise<boolean> {
  const files = [...new Set(sample.content.rollouts.map(({ file }) => file))];
  const known = await Promise.all(
    files.map(async (file) => {
      const query = { source_file: file, limit: '1000' };
      const { groups } = await patiently(publishing, () => publishing.client.json('/v1/submissions', { query }));
      return Array.isArray(groups) && groups.length >= linesOf(sample, file).length;
    }),
  );
  return known.every(Boolean);
}

/** Commands an evaluation point and waits until what follows from it has settled. */
export async function evaluate(publishing: Publishing, target: string): Promise<void> {
  await command(publishing, `/v1/targets/${target}/evaluate`);
  await untilQuiet(publishing);
}

/** Gives one command, however often it has to be sent. */
export async function command(publishing: Publishing, path: string): Promise<void> {
  const headers = { 'idempotency-key': randomUUID() };
  await patiently(publishing, () => publishing.client.json(path, { method: 'POST', body: {}, headers }));
}

/** Without a move for so long, what is not ready is taken to stay so. */
const STANDSTILL_MS = 30_000;

/** Whether groups that wait for their evaluation are all that is left, and there are some. */
const awaitsEvaluation = ({ services }: Status): boolean =>
  services.some((one) => one.reachable && !one.quiet) &&
  services.every((one) => {
    if (!one.reachable) return false;
    const { service, quiet, lag, outbox, jobs, pending } = one;
    if (quiet || service !== 'calibrate') return quiet;
    const others = Object.entries(pending).filter(([name, left]) => left > 0 && name !== 'unevaluatedGroups');
    return lag === 0 && outbox === 0 && jobs === 0 && others.length === 0;
  });

/**
 * Waits until nothing is on its way any more.
 *
 * @param exceptEvaluation groups whose evaluation is about to be commanded need not wait for the one that comes by itself
 */
export async function untilQuiet(
  publishing: Publishing,
  { lookMs = LOOK_MS, standstillMs = STANDSTILL_MS, exceptEvaluation = false } = {},
): Promise<void> {
  let picture = '';
  let sinceMs = performance.now();
  for (;;) {
    const status = await patiently(publishing, () => readStatus(publishing.client));
    if (status.quiet) return;
    const { problems, funnel, targets, services } = status;
    const now = JSON.stringify({ problems, funnel, targets, services });
    // Two looks alike: what leaves one service may not have reached the next at the first.
    if (exceptEvaluation && now === picture && awaitsEvaluation(status)) return;
    if (now !== picture) {
      picture = now;
      sinceMs = performance.now();
    } else if (performance.now() - sinceMs > standstillMs) {
      const reasons = notReady(status);
      if (reasons.length > 0) publishing.standsStill(reasons);
      sinceMs = performance.now();
    }
    await pause(lookMs, publishing.signal);
  }
}

async function upload(
  client: GatewayClient,
  path: string,
  content: AsyncIterable<Uint8Array>,
  query: Readonly<Record<string, string>>,
): Promise<{ accepted: number; refused: number }> {
  let accepted = 0;
  let refused = 0;
  const stream = { type: 'application/x-ndjson', content };
  for await (const { outcome } of client.lines(path, { method: 'POST', query, stream })) {
    if (outcome === 'accepted') accepted++;
    else if (outcome !== 'summary') refused++;
  }
  return { accepted, refused };
}
