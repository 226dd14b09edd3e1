import { createHash, randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { ConsumedRecordSchema, DeadLetterSchema, PayloadSchema, ProblemRawSchema } from '@tidemark/proto';
import { deadLetters } from '@tidemark/stage-runtime';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatewayService } from '../index.ts';
import { TestClient } from '../testing/client.ts';
import { MarkingServices } from '../testing/marking-services.ts';

const HOUR = 3_600_000;
const PATIENCE = { timeout: 60_000, interval: 100 };
let harness: StageHarness;
let client: TestClient;
let blobs: BlobStore;
let others: MarkingServices;

beforeEach(async () => {
  const config = { blobGraceHours: '2', blobSweepHours: '0' };
  harness = await startStage(gatewayService, { http: true, partitions: 1, config });
  client = new TestClient(harness);
  blobs = harness.service.get(BlobStore);
  others = new MarkingServices(harness, blobs);
  await others.start();
});
afterEach(async () => {
  await others.stop();
  await harness.stop();
});

/** As if everything had been put, and noted, long ago. */
async function age(): Promise<void> {
  const { folder } = blobs as unknown as { folder: string };
  const at = new Date(Date.now() - 100 * HOUR);
  for await (const { sha256 } of blobs.list()) {
    await utimes(join(folder, sha256.slice(0, 2), sha256.slice(2, 4), `${sha256}.zst`), at, at);
  }
  await harness.query(`UPDATE unnamed_blob SET since = now() - interval '99 hours'`);
}
async function there(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { sha256 } of blobs.list()) names.add(sha256);
  return names;
}
const big = () => randomBytes(20_000);
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
interface Command {
  readonly command_id: string;
  readonly outcome: string;
  readonly message: string;
  readonly results: Readonly<Record<string, string>>;
}
const find = async (id: string) => (await client.json('GET', `/v1/commands/${id}`)).body as unknown as Command;
async function begin(body: object = {}): Promise<string> {
  return String((await client.json('POST', '/v1/blobs/sweep', body)).body.command_id);
}
async function sweep(body: object = {}): Promise<Command> {
  const id = await begin(body);
  await expect.poll(async () => (await find(id)).outcome, PATIENCE).not.toBe('waiting');
  return await find(id);
}

describe('a sweep of the blobs', () => {
  it('removes what nothing names, the second time that it finds it so, and keeps what anything names', async () => {
    const orphan = await blobs.put(big());
    const inTopic = await blobs.put(big());
    const inTable = await blobs.put(big());
    const ofOther = await blobs.put(big());
    others.named.set('dedup', [ofOther]);
    await harness.publish(
      topics.problemsRaw,
      create(ProblemRawSchema, { problemId: 'a'.repeat(32), version: 1, revision: 1n, original: { sha256: inTopic } }),
    );
    const payload = Buffer.from(
      toBinary(PayloadSchema, create(PayloadSchema, { sha256: inTable, sizeBytes: 20_000n })),
    );
    await harness.query(
      `INSERT INTO kept_text (problem_id, kind, version, payload, details) VALUES ('p', 'original', 1, $1, '{}')`,
      [payload],
    );
    // A record that is too large for its letter: the letter names a blob, and that one names another.
    const inRecord = await blobs.put(big());
    const record = toBinary(
      ConsumedRecordSchema,
      create(ConsumedRecordSchema, { topic: 't', value: Buffer.from(`${inRecord}${'x'.repeat(9_000)}`) }),
    );
    const letter = create(DeadLetterSchema, { topic: 't', service: 's', record: await storePayload(blobs, record) });
    const letters = deadLetters(topics.problemsRaw.name, 'gateway');
    await harness.publish(letters, letter);
    await harness.untilQuiet();
    const kept = [inTopic, inTable, ofOther, inRecord, hashOf(record)];

    await age();
    const dry = await sweep({ dry_run: true });
    expect(dry.results).toMatchObject({ noted_blobs: '1', named_blobs: '5', removed_blobs: '0' });
    expect(await harness.query('SELECT 1 FROM unnamed_blob')).toEqual([]);

    await age();
    expect(await sweep()).toMatchObject({ outcome: 'done', results: { removed_blobs: '0' } });
    expect(await there()).toContain(orphan);
    await age();
    const second = await sweep();
    expect(second.message).toMatch(/^Removed \d+ blobs/);
    const left = await there();
    expect(left).not.toContain(orphan);
    for (const sha256 of kept) expect(left).toContain(sha256);
  });

  it('removes nothing while a service does not answer, nor when one fails', async () => {
    const orphan = await blobs.put(big());
    await age();
    await sweep();
    await age();
    others.away.add('execute');
    const id = await begin();
    await expect
      .poll(
        async () => (await harness.query(`SELECT 1 FROM command WHERE kind = 'mark_blobs' AND outcome = 0`)).length,
        PATIENCE,
      )
      .toBe(1);
    expect(await find(id)).toMatchObject({ outcome: 'waiting' });
    expect(await there()).toContain(orphan);
    others.failing.add('execute');
    others.away.clear();
    await expect.poll(async () => (await find(id)).outcome, PATIENCE).toBe('failed');
    expect((await find(id)).message).toMatch(/^Nothing was removed: execute/);
    expect(await there()).toContain(orphan);
  });

  it('loses no blob of what is offered meanwhile, killed in the middle or not', async () => {
    const orphans = await Promise.all(Array.from({ length: 20 }, () => blobs.put(big())));
    await age();
    await sweep();
    await age();
    const record = (id: string, filling: string) =>
      `${JSON.stringify({ format: 'tidemark.problem.v1', namespace: 'acme', id, statement: filling })}\n`;
    // One of the orphans is offered again, as the very record that it is of.
    const again = record('again', 'y'.repeat(12_000));
    await blobs.put(Buffer.from(again.trim()));
    orphans.push(...(await Promise.all(Array.from({ length: 20 }, () => blobs.put(big())))));
    await age();
    await sweep();
    await age();
    const crash = harness.crashAt('mid-job');
    const id = await begin();
    await crash;
    await harness.restart();
    client = new TestClient(harness);
    const end = new AbortController();
    const offered: string[] = [];
    const writers = [1, 2, 3].map(async (writer) => {
      for (let n = 0; !end.signal.aborted; n++) {
        const line = n === 3 ? again : record(`${writer}-${n}`, randomBytes(6_000).toString('hex'));
        await client.upload('/v1/problems', line);
        offered.push(hashOf(Buffer.from(line.trim())));
      }
    });
    await expect.poll(async () => (await find(id)).outcome, PATIENCE).toBe('done');
    await expect.poll(() => offered.length, PATIENCE).toBeGreaterThan(15);
    end.abort();
    await Promise.all(writers);
    const left = await there();
    for (const sha256 of offered) expect(left).toContain(sha256);
    for (const sha256 of orphans) expect(left).not.toContain(sha256);
  });
});
