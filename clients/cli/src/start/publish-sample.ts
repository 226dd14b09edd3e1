import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pause } from '../context.ts';
import { plural } from '../format/table.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Status } from '../status.ts';
import { linesOfCheckpoint, type Sample } from './sample.ts';

const LOOK_MS = 500;

/** What publishing works with. */
export interface Publishing {
  readonly client: GatewayClient;
  readonly signal: AbortSignal;
  /** Says what happens now. */
  says(step: string): void;
}

/**
 * Publishes the sample as its users would: benchmark, targets, problems, then the attempts of each checkpoint, each
 * followed by an evaluation. Publishing it again changes nothing: every record and group has an id of its own.
 */
export async function publishSample(publishing: Publishing, sample: Sample): Promise<void> {
  const { client, says } = publishing;
  const { content, folder } = sample;
  for (const { name, file } of content.benchmarks) {
    const stream = { type: 'application/x-ndjson', content: createReadStream(join(folder, file)) };
    const set = await client.json(`/v1/benchmarks/${name}`, { method: 'PUT', stream });
    says(`benchmark ${name} (${plural(Number(set.problems), 'problem')}): what contains one of them will be rejected`);
  }
  for (const { target, settings, checkpoints } of content.targets) {
    const body = { ...settings, checkpoint: checkpoints[0]?.checkpoint };
    await client.json(`/v1/targets/${target}`, { method: 'PUT', body });
    says(`target ${target} declared`);
  }
  for (const { file, format, namespace, originKind: origin, licence } of content.problems) {
    const query = { format, namespace, origin, licence, source_file: file };
    const { accepted, refused } = await upload(client, '/v1/problems', createReadStream(join(folder, file)), query);
    says(`${file}: ${plural(accepted, 'record')} taken${refused > 0 ? `, ${refused} refused at the door` : ''}`);
  }
  await untilQuiet(publishing);
  for (const { target, checkpoints } of content.targets) {
    for (const { checkpoint, ordinal } of checkpoints) {
      await client.json(`/v1/targets/${target}/checkpoints`, { method: 'POST', body: { checkpoint, ordinal } });
      for (const { file } of content.rollouts.filter((one) => one.target === target)) {
        const lines = Readable.from([Buffer.from(linesOfCheckpoint(sample, file, checkpoint))]);
        const { accepted } = await upload(client, '/v1/rollouts', lines, { source_file: file });
        says(
          `${target}, checkpoint ${checkpoint}: ${plural(accepted, 'group')} of attempts, each program runs in the sandbox`,
        );
      }
      await untilQuiet(publishing);
      await evaluate(publishing, target);
      says(`${target}, checkpoint ${checkpoint}: evaluated`);
    }
  }
}

/** Commands an evaluation point and waits until what follows from it has settled. */
export async function evaluate(publishing: Publishing, target: string): Promise<void> {
  await publishing.client.json(`/v1/targets/${target}/evaluate`, { method: 'POST', body: {} });
  await untilQuiet(publishing);
}

/** Waits until nothing is on its way any more. */
export async function untilQuiet({ client, signal }: Publishing): Promise<void> {
  while (!((await client.json('/v1/status')) as unknown as Status).quiet) await pause(LOOK_MS, signal);
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
