import { create, toBinary } from '@bufbuild/protobuf';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { ordersTopic, topics } from '@tidemark/event-log';
import {
  ConsumedRecordSchema,
  type DeadLetter,
  DeadLetterSchema,
  ProblemRawSchema,
  RolloutsIntakeSchema,
} from '@tidemark/proto';
import { deadLetters, ordersSpec } from '@tidemark/stage-runtime';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from './index.ts';
import { TestClient } from './testing/client.ts';

const SECRET = 'a hidden test';
const problemId = 'c0ffee00'.repeat(4);
const own = { ...deadLetters(topics.problemsRaw.name, 'normalize') };
const absent = { ...deadLetters(topics.problemsUnique.name, 'sample') };
let harness: StageHarness;
let client: TestClient;

const letter = (id: string, code = 'unexpected', topic: string = topics.problemsRaw.name) =>
  create(DeadLetterSchema, {
    topic,
    partition: 1,
    offset: 7n,
    key: Buffer.from(id),
    value: toBinary(
      ProblemRawSchema,
      create(ProblemRawSchema, {
        problemId: id,
        version: 1,
        original: { sha256: 'a'.repeat(64), sizeBytes: 9n, inline: Buffer.from(SECRET) },
      }),
    ),
    headers: { ce_id: Buffer.from(`event-${id}`) },
    service: topic === topics.problemsRaw.name ? 'normalize' : 'sample',
    handler: 'normalize/problems.raw.v1',
    errorCode: code,
    errorMessage: 'nobody foresaw this',
    attempts: 3,
    eventId: `event-${id}`,
  });

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly problem_id: string;
}

beforeAll(async () => {
  harness = await startStage(gatewayService, { http: true, partitions: 1 });
  client = new TestClient(harness);
});
afterAll(() => harness?.stop());

const list = async (query = '') => {
  const { body } = await client.json('GET', `/v1/dead-letters${query}`);
  return body as unknown as { dead_letters: Listed[]; next: string | null };
};
const post = async (verb: string, body: object) => (await client.json('POST', `/v1/dead-letters/${verb}`, body)).body;
const stateOf = async (id: string) => (await client.json('GET', `/v1/problems/${id}`)).body.state;

describe('dead letters', () => {
  it('of a line that was sent again are one', async () => {
    const sent = (line: bigint, second: number) =>
      create(DeadLetterSchema, {
        ...{ topic: topics.rolloutsIntake.name, service: 'ingest', errorCode: 'group_too_large', attempts: 1 },
        value: toBinary(
          RolloutsIntakeSchema,
          create(RolloutsIntakeSchema, { submitter: { name: 'lab', sourceFile: 'groups.jsonl', sourceRecord: line } }),
        ),
        eventId: `upload ${line}`,
        deadLetteredAt: { seconds: BigInt(second), nanos: 0 },
      });
    await harness.publish(deadLetters(topics.rolloutsIntake.name, 'ingest'), sent(1n, 1), sent(2n, 1), sent(1n, 2));
    await harness.untilQuiet();
    const { dead_letters: open } = await list('?code=group_too_large');
    expect(open.map((one) => (one as unknown as { source_record: number }).source_record).sort()).toEqual([1, 2]);
    expect((await list('?code=group_too_large&state=all')).dead_letters).toHaveLength(3);
    await post('drop', { code: 'group_too_large' });
  });

  it('are listed by topic, service, code and problem, page by page', async () => {
    const others = ['11', '22', '33'].map((pair) => pair.repeat(16));
    await harness.publish(own, letter(problemId), ...others.map((id) => letter(id, 'poison')));
    await harness.untilQuiet();
    expect((await list()).dead_letters).toHaveLength(4);
    expect((await list('?code=poison')).dead_letters).toHaveLength(3);
    expect((await list('?service=dedup')).dead_letters).toEqual([]);
    const [found] = (await list(`?problem_id=${problemId}`)).dead_letters;
    expect(found).toMatchObject({
      topic: topics.problemsRaw.name,
      service: 'normalize',
      error_code: 'unexpected',
      attempts: 3,
      state: 'open',
      event_id: `event-${problemId}`,
    });
    const first = await list('?limit=3');
    expect(first.dead_letters).toHaveLength(3);
    const second = await list(`?limit=3&cursor=${first.next}`);
    expect([second.dead_letters.length, second.next]).toEqual([1, null]);
    expect(await stateOf(problemId)).toBe('dead_lettered');
  });

  it('show what they hold, and contents only to who asks for them', async () => {
    const [found] = (await list(`?problem_id=${problemId}`)).dead_letters;
    const shown = (await client.json('GET', `/v1/dead-letters/${found?.id}`)).body;
    expect(shown).toMatchObject({
      record: {
        partition: 1,
        offset: '7',
        key: problemId,
        headers: { ce_id: `event-${problemId}` },
        value: { problemId },
      },
    });
    const inline = Buffer.from(SECRET).toString('base64');
    expect(JSON.stringify(shown)).not.toContain(inline);
    expect(JSON.stringify(shown)).not.toContain('value_base64');
    const whole = (await client.json('GET', `/v1/dead-letters/${found?.id}?contents=true`)).body;
    expect(JSON.stringify(whole)).toContain(inline);
    expect((await client.send('GET', '/v1/dead-letters/nonsense')).status).toBe(404);
    expect((await client.send('GET', `/v1/dead-letters/${own.name}:0:999`)).status).toBe(404);
  });

  it('are refused while their service has nothing to take orders by, and nothing is held up', async () => {
    const [found] = (await list(`?problem_id=${problemId}`)).dead_letters;
    const answer = await post('replay', { ids: [found?.id, `${own.name}:0:999`] });
    expect(answer).toMatchObject({ replayed: 0, refused: [{ code: 'service_absent' }, { code: 'unknown' }] });
    await harness.untilQuiet();
  });

  it('are ordered to be replayed once, as they are; the problem is on its way again', async () => {
    await harness.log.admin.ensureTopics([ordersSpec('normalize')]);
    const [found] = (await list(`?problem_id=${problemId}`)).dead_letters;
    expect(await post('replay', { ids: [found?.id] })).toEqual({ replayed: 1, refused: [], more: false });
    expect(await post('replay', { ids: [found?.id] })).toMatchObject({ replayed: 0, refused: [{ code: 'replayed' }] });
    await harness.untilQuiet();
    const orders = await harness.published(ordersTopic('normalize'));
    const replayed = orders.flatMap(({ value }) => (value?.order.case === 'replay' ? [value.order.value] : []));
    const bytesOf = (each: DeadLetter) => Buffer.from(toBinary(DeadLetterSchema, each)).toString('hex');
    expect(replayed.map(bytesOf)).toEqual([bytesOf(letter(problemId))]);
    expect(orders[0]?.value?.requestedBy).toBe('local');
    expect(await stateOf(problemId)).toBe('waiting');
    expect((await list('?state=replayed')).dead_letters).toMatchObject([{ id: found?.id, state: 'replayed' }]);
    // What fails again is a letter of its own.
    await harness.publish(own, letter(problemId, 'again'));
    await harness.untilQuiet();
    expect(await stateOf(problemId)).toBe('dead_lettered');
    expect((await list(`?problem_id=${problemId}`)).dead_letters).toHaveLength(1);
  });

  it('are replayed by a filter, in the order in which they lie', async () => {
    expect(await post('replay', { code: 'poison' })).toEqual({ replayed: 3, refused: [], more: false });
    await harness.untilQuiet();
    const orders = await harness.published(ordersTopic('normalize'));
    const keys = orders.map(({ value }) => (value?.order.case === 'replay' ? String(value.order.value.eventId) : ''));
    expect(keys.slice(1)).toEqual(['11', '22', '33'].map((pair) => `event-${pair.repeat(16)}`));
  });

  it('whose record lies in the blob store are shown and replayed like others', async () => {
    const large = letter('44'.repeat(16), 'large');
    const { key, value, headers, ...frame } = large;
    const { topic, partition, offset } = frame;
    const record = create(ConsumedRecordSchema, {
      topic,
      partition,
      offset,
      key,
      value,
      headers,
      eventId: frame.eventId,
    });
    const bytes = toBinary(ConsumedRecordSchema, record);
    await harness.publish(own, {
      ...frame,
      headers: {},
      record: await storePayload(harness.service.get(BlobStore), bytes, 0),
    });
    await harness.untilQuiet();
    const [found] = (await list('?code=large')).dead_letters;
    expect(found).toMatchObject({ problem_id: '44'.repeat(16), version: 1 });
    const { body } = await client.json('GET', `/v1/dead-letters/${found?.id}?contents=true`);
    expect(body.record).toMatchObject({
      key: '44'.repeat(16),
      value_bytes: value?.length,
      headers: { ce_id: frame.eventId },
    });
    expect(await post('replay', { code: 'large' })).toMatchObject({ replayed: 1, refused: [] });
  });

  it('that are gone are refused, with what can be done', async () => {
    await harness.publish(own, letter('55'.repeat(16), 'gone'));
    await harness.untilQuiet();
    const end = (await harness.log.admin.describe(own.name))?.partitions[0]?.logEnd ?? 0n;
    const [gone] = (await list('?code=gone')).dead_letters;
    await harness.log.admin.deleteRecords(own.name, 0, end);
    await expect
      .poll(async () => (await list('?state=expired')).dead_letters.length, { timeout: 5_000 })
      .toBeGreaterThan(0);
    expect((await list('?code=gone')).dead_letters).toEqual([]);
    expect(await post('replay', { ids: [gone?.id] })).toMatchObject({ refused: [{ code: 'expired' }] });
  });

  it('are dropped: out of the list, still dead-lettered, and taken up again by id alone', async () => {
    const id = '66'.repeat(16);
    await harness.publish(own, letter(id, 'useless'));
    await harness.untilQuiet();
    const [found] = (await list('?code=useless')).dead_letters;
    expect(await post('drop', { code: 'useless' })).toEqual({ dropped: 1, refused: [], more: false });
    expect((await list('?code=useless')).dead_letters).toEqual([]);
    expect(await stateOf(id)).toBe('dead_lettered');
    expect(await post('drop', { ids: [found?.id] })).toMatchObject({ dropped: 0, refused: [{ code: 'not_open' }] });
    expect(await post('replay', { ids: [found?.id] })).toMatchObject({ replayed: 1 });
  });

  it('have to be named: nothing is decided about all of them by mistake', async () => {
    for (const body of [{}, { all: false }, { ids: [] }, { ids: [`${own.name}:0:1`], code: 'x' }, { nonsense: 1 }]) {
      expect((await client.json('POST', '/v1/dead-letters/drop', body)).status).toBe(422);
    }
    expect((await client.json('POST', '/v1/dead-letters/replay', { all: true })).status).toBe(202);
  });

  it('of a service that never ran are kept open', async () => {
    await harness.publish(absent, letter('77'.repeat(16), 'poison', topics.problemsUnique.name));
    await harness.untilQuiet();
    expect(await post('replay', { all: true })).toMatchObject({ replayed: 0, refused: [{ code: 'service_absent' }] });
    expect((await list('?service=sample')).dead_letters).toHaveLength(1);
  });
});
