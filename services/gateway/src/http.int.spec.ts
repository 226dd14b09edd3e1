import { status } from '@grpc/grpc-js';
import { topics } from '@tidemark/event-log';
import { sha256Hex } from '@tidemark/identity';
import { Bin, TestForm, TestSuiteSchema } from '@tidemark/proto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BenchmarkSetSchema } from '@tidemark/proto';
import { type Activity, StageReadiness } from '@tidemark/stage-runtime';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from './index.ts';
import { ServiceDirectory } from './index.ts';
import { registerIdleServices } from './testing/idle-services.ts';
import { TestClient } from './testing/client.ts';
import { FakeSelect } from './testing/fake-select.ts';

const TOKEN = 'token-of-the-specs';
const first = new FakeSelect();
const second = new FakeSelect();
let harness: StageHarness;
let client: TestClient;

beforeAll(async () => {
  await Promise.all([first.start(), second.start()]);
  const config = { selectAddress: first.address, selectToken: 'token-of-select-alone', maxUploads: '1' };
  harness = await startStage(gatewayService, { http: true, accessToken: TOKEN, config });
  client = new TestClient(harness, { authorization: `Bearer ${TOKEN}` });
});
afterAll(async () => {
  await harness?.stop();
  first.stop();
  second.stop();
});

const codeOf = async (response: Promise<Response>): Promise<[number, unknown]> => {
  const answer = await response;
  return [answer.status, ((await answer.json()) as { code?: unknown }).code];
};

describe('access', () => {
  it('wants the token, on everything but the probes', async () => {
    const stranger = new TestClient(harness);
    expect(await codeOf(stranger.send('GET', '/v1/status'))).toEqual([401, 'token_missing']);
    const wrong = { authorization: 'Bearer other' };
    expect(await codeOf(stranger.send('GET', '/v1/status', undefined, wrong))).toEqual([401, 'token_wrong']);
    expect(await codeOf(stranger.send('POST', '/v1/problems', '{}'))).toEqual([401, 'token_missing']);
    expect((await stranger.send('GET', '/activity')).status).toBe(401);
    expect((await stranger.send('GET', '/livez')).status).toBe(200);
    expect((await stranger.send('GET', '/readyz')).status).toBe(200);
  });
});

describe('readiness', () => {
  it('is a 503 with the reasons while something is missing, without a token', async () => {
    const board = harness.service.get(StageReadiness);
    board.set('spec', 'the spec wants it so');
    const answer = await new TestClient(harness).send('GET', '/readyz');
    expect([answer.status, await answer.json()]).toEqual([503, { ready: false, reasons: ['the spec wants it so'] }]);
    board.clear('spec');
    expect((await client.send('GET', '/readyz')).status).toBe(200);
  });
});

describe('errors', () => {
  it('are problem+json with where, why and what to do, and no stack trace', async () => {
    const response = await client.send('PUT', '/v1/targets/model', { group_size: 'eight', retention: 7 });
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const text = await response.text();
    expect(text).not.toMatch(/\.ts|node_modules| at /);
    expect(JSON.parse(text)).toMatchObject({
      type: 'urn:tidemark:problem:unusable_content',
      status: 422,
      where: 'body.group_size',
      do: expect.any(String) as string,
      faults: [{ where: 'body.group_size' }, { where: 'body.retention' }],
    });
  });

  it.each([
    ['GET', '/v1/nothing', undefined, 404, 'unknown_path'],
    ['GET', '/v1/commands/none', undefined, 404, 'unknown_command'],
    ['GET', '/v1/targets/nobody/bins', undefined, 404, 'unknown_target'],
    ['POST', '/v1/targets/nobody/evaluate', {}, 404, 'unknown_target'],
    ['PUT', '/v1/targets/Not%20A%20Slug', {}, 422, 'unusable_content'],
    ['PUT', '/v1/targets/model', '{"oops"', 400, 'invalid_json'],
    ['PUT', '/v1/targets/model', `{"display_name":"${'x'.repeat(1_100_000)}"}`, 413, 'too_large'],
    ['DELETE', '/v1/benchmarks/none', undefined, 404, 'unknown_benchmark'],
    ['GET', '/v1/topics/none.v1', undefined, 404, 'unknown_topic'],
    ['GET', '/v1/problems?limit=many', undefined, 422, 'unusable_content'],
  ])('%s %s with %j is %i', async (method, path, body, expected, code) => {
    expect(await codeOf(client.send(method, path, body))).toEqual([expected, code]);
  });

  it('tell the one upload too many when to come back', async () => {
    const slow = client.send('POST', '/v1/problems', '{}\n', { 'content-type': 'application/x-ndjson' });
    const answers = await Promise.all([
      slow,
      ...Array.from({ length: 4 }, () => client.send('POST', '/v1/problems', '{}\n', { 'content-type': 'text/plain' })),
    ]);
    const refused = answers.filter((answer) => answer.status === 429);
    for (const answer of refused) expect(answer.headers.get('retry-after')).toBe('5');
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThanOrEqual(1);
    expect(answers.every((answer) => [200, 429].includes(answer.status))).toBe(true);
    // The place is free again, also after uploads that failed.
    expect((await client.send('POST', '/v1/problems?origin=none', '{}')).status).toBe(422);
    expect((await client.send('POST', '/v1/problems', '{}\n', { 'content-type': 'text/plain' })).status).toBe(200);
  });
});

describe('targets', () => {
  it('keep their version for the same settings, and get a new one for others', async () => {
    const declared = await client.json('PUT', '/v1/targets/line', { group_size: 8 });
    expect(declared).toMatchObject({ status: 201, body: { version: 1, checkpoint: 'base', outcome: 'declared' } });
    expect(await client.json('PUT', '/v1/targets/line', {})).toMatchObject({ status: 200, body: { version: 1 } });
    const anew = await client.json('PUT', '/v1/targets/line', { group_size: 16 });
    expect(anew).toMatchObject({ status: 201, body: { version: 2, outcome: 'new_version' } });
    await harness.untilQuiet();
    const events = (await harness.published(topics.targetsDeclared)).filter(({ value }) => value?.target === 'line');
    expect(events.map(({ key, value }) => [key, value?.groupSize]).sort()).toEqual([
      ['line:1', 8],
      ['line:2', 16],
    ]);
    const checkpoints = await harness.published(topics.checkpointsAdvanced);
    expect(checkpoints.filter(({ value }) => value?.target === 'line')).toMatchObject([
      { value: { checkpoint: 'base', ordinal: 0, targetVersion: 1 } },
    ]);
  });

  it('are declared once, however many declare them at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.json('PUT', '/v1/targets/race', {})));
    expect(answers.map(({ status: code }) => code).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  });

  it('put each checkpoint in its place, and no two in one', async () => {
    const advance = (body: object) => client.json('POST', '/v1/targets/race/checkpoints', body);
    expect(await advance({ checkpoint: 'step-10' })).toMatchObject({ status: 201, body: { ordinal: 1 } });
    expect(await advance({ checkpoint: 'step-10' })).toMatchObject({ status: 200, body: { outcome: 'unchanged' } });
    expect(await advance({ checkpoint: 'step-20', ordinal: 5 })).toMatchObject({ status: 201 });
    expect(await advance({ checkpoint: 'step-15', ordinal: 3 })).toMatchObject({ status: 201 });
    expect(await advance({ checkpoint: 'step-16', ordinal: 3 })).toMatchObject({
      status: 409,
      body: { code: 'ordinal_taken' },
    });
    expect(await advance({ checkpoint: 'step-10', ordinal: 9 })).toMatchObject({ status: 409 });
    const { body } = await client.json('GET', '/v1/targets');
    const listed = (body.targets as { target: string; checkpoint: string }[]).find(({ target }) => target === 'race');
    expect(listed).toMatchObject({ checkpoint: 'step-20', checkpoint_ordinal: 5 });
  });
});

describe('commands', () => {
  it('go out once for one idempotency key', async () => {
    const headers = { 'idempotency-key': 'evaluate-1' };
    const send = () => client.send('POST', '/v1/targets/line/evaluate', undefined, headers);
    const [one, two] = [await send(), await send()];
    expect([one.status, two.status]).toEqual([202, 202]);
    const command = (await one.json()) as { command_id: string };
    expect(await two.json()).toEqual(command);
    expect(one.headers.get('location')).toBe(`/v1/commands/${command.command_id}`);
    await harness.untilQuiet();
    const events = await harness.published(topics.commandsRequested);
    expect(events).toMatchObject([
      { value: { service: 'calibrate', requestedBy: 'operator', command: { case: 'evaluate' } } },
    ]);
    expect((await client.json('GET', `/v1/commands/${command.command_id}`)).body).toMatchObject({ outcome: 'waiting' });
  });
});

describe('batches', () => {
  const suite = toBinary(
    TestSuiteSchema,
    create(TestSuiteSchema, {
      form: TestForm.STDIN,
      tests: [
        { name: 'shown', public: true, body: { case: 'stdin', value: { input: bytes('1'), expected: bytes('2') } } },
        { name: 'hidden', body: { case: 'stdin', value: { input: bytes('secret') } } },
      ],
    }),
  );
  const payload = (content: Uint8Array) => ({
    sha256: sha256Hex(content),
    sizeBytes: BigInt(content.length),
    inline: content,
  });
  const batch = {
    batch: 3n,
    expiresAtMs: 1_800_000_000_000n,
    workingSet: 9,
    problems: [
      {
        leaseId: 'lease-1',
        problem: { problemId: 'p', bin: Bin.HARD, statement: payload(bytes('S')), publicTests: payload(suite) },
      },
    ],
  };

  it('come from the owner of the target, with public tests alone', async () => {
    first.answer = { kind: 'owned elsewhere', owner: second.address };
    second.answer = { kind: 'batch', answer: batch };
    const { status: code, body } = await client.json('POST', '/v1/targets/line/batches', {
      count: 5,
      lease_seconds: 60,
    });
    expect([code, body.batch, body.working_set, body.expires_at]).toEqual([200, 3, 9, '2027-01-15T08:00:00.000Z']);
    expect(body.problems).toMatchObject([
      {
        lease_id: 'lease-1',
        bin: 'hard',
        statement: 'S',
        public_tests: [{ name: 'shown', input: '1', expected: '2' }],
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(second.asked.at(-1)).toMatchObject({ target: 'line', count: 5, leaseMs: 60_000, holder: 'operator' });
    expect(second.authorizations.at(-1)).toBe('Bearer token-of-select-alone');
    const askedBefore = first.asked.length;
    await client.json('POST', '/v1/targets/line/batches', {});
    expect(first.asked.length).toBe(askedBefore);
  });

  it('follow an owner that is gone back to whoever knows the new one', async () => {
    second.stop();
    first.answer = { kind: 'batch', answer: batch };
    expect((await client.json('POST', '/v1/targets/line/batches', {})).status).toBe(200);
  });

  it('say when select is away, is busy, or does not know the target yet', async () => {
    const told = async (code: status) => {
      first.answer = { kind: 'status', code };
      return await codeOf(client.send('POST', '/v1/targets/line/batches', {}));
    };
    expect(await told(status.UNAVAILABLE)).toEqual([503, 'select_unavailable']);
    expect(await told(status.NOT_FOUND)).toEqual([503, 'target_on_its_way']);
    expect(await told(status.RESOURCE_EXHAUSTED)).toEqual([429, 'select_busy']);
    expect(await told(status.INVALID_ARGUMENT)).toEqual([422, 'unusable_content']);
    expect(await codeOf(client.send('POST', '/v1/targets/line/batches', { count: 0 }))).toEqual([
      422,
      'unusable_content',
    ]);
  });

  it('come again by number and seed, with what was withdrawn since by id alone', async () => {
    first.replayed = { problems: batch.problems, expiresAtMs: batch.expiresAtMs, withdrawn: ['gone'] };
    const again = await client.json('GET', '/v1/targets/line/batches/3?seed=7');
    expect(again).toMatchObject({
      status: 200,
      body: { batch: 3, seed: 7, problems: [{ lease_id: 'lease-1', statement: 'S' }], withdrawn: ['gone'] },
    });
    const code = (path: string) => codeOf(client.send('GET', path));
    expect(await code('/v1/targets/line/batches/3?seed=8')).toEqual([422, 'unusable_content']);
    expect(await code('/v1/targets/line/batches/three')).toEqual([422, 'unusable_content']);
    first.replayed = undefined;
    expect(await code('/v1/targets/line/batches/4?seed=7')).toEqual([404, 'unknown_batch']);
  });

  it('take leases back', async () => {
    first.answer = { kind: 'batch', answer: batch };
    const { body } = await client.json('POST', '/v1/targets/line/leases/return', { lease_ids: ['lease-1', 'lease-2'] });
    expect(body).toEqual({ target: 'line', returned: 2 });
    expect(first.returned).toEqual(['lease-1', 'lease-2']);
  });
});

describe('benchmarks', () => {
  const put = (lines: string, query = '') =>
    client.send('PUT', `/v1/benchmarks/set${query}`, lines, { 'content-type': 'text/plain' });

  it('have a version for each change, and none for the same content in another order', async () => {
    const statuses: number[] = [];
    for (const lines of [
      '{"id":"a","statement":"A"}\n{"id":"b","statement":"B"}',
      '{"id":"b","text":"B"}\n{"id":"a","text":"A"}',
    ]) {
      statuses.push((await put(lines)).status);
    }
    statuses.push((await put('{"id":"a","statement":"A"}', '?threshold=0.5')).status);
    expect(statuses).toEqual([201, 200, 200]);
    expect((await client.json('DELETE', '/v1/benchmarks/set')).body).toMatchObject({ version: 3, outcome: 'removed' });
    await harness.untilQuiet();
    const events = (await harness.published(topics.benchmarksChanged)).map(({ value }) => value);
    expect(events.map((event) => [event?.version, event?.problemCount, event?.threshold])).toEqual([
      [1, 2, 0],
      [2, 1, 0.5],
      [3, 0, 0],
    ]);
    const content = events[0]?.content?.inline ?? new Uint8Array();
    expect(fromBinary(BenchmarkSetSchema, content).problems.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(events[2]?.content).toBeUndefined();
  });

  it('go in whole or not at all', async () => {
    const response = await put('{"id":"a"}\n[]\n');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      faults: [{ where: 'line 2' }, { where: 'line 1, statement' }].reverse(),
    });
    expect((await put('\n')).status).toBe(422);
  });
});

describe('the log', () => {
  it('is dumped up to its end, record by record', async () => {
    const records = await client.lines(`/v1/topics/${topics.targetsDeclared.name}`);
    expect(records.length).toBeGreaterThanOrEqual(3);
    for (const record of records) {
      expect(record).toMatchObject({ topic: topics.targetsDeclared.name, headers: { ce_source: '/tidemark/gateway' } });
    }
    expect(records.map(({ key }) => key)).toContain('line:2');
    expect(await client.lines(`/v1/topics/${topics.heldoutEvaluated.name}`)).toEqual([]);
  });

  it('never shows what a record of a problem holds', async () => {
    const tests = { form: 'stdin', cases: [{ input: 'very-hidden' }] };
    const hidden = { format: 'tidemark.problem.v1', namespace: 'acme', id: 'x', statement: 'x', tests };
    const [taken] = await client.upload('/v1/problems', JSON.stringify(hidden));
    expect(taken).toMatchObject({ outcome: 'accepted' });
    await harness.untilQuiet();
    const text = await (await client.send('GET', `/v1/topics/${topics.problemsIntake.name}`)).text();
    expect(text).toContain('"sha256"');
    expect(text).not.toContain('very-hidden');
    expect(text).not.toContain(Buffer.from('very-hidden').toString('base64').slice(4, 12));
  });
});

describe('the status', () => {
  it('is quiet when everyone is, and not while one has work or does not answer', async () => {
    await harness.untilQuiet();
    const directory = harness.service.get(ServiceDirectory);
    const unknown = (await client.json('GET', '/v1/status')).body;
    expect(unknown).toMatchObject({ quiet: false });
    expect(unknown.services).toContainEqual(expect.objectContaining({ service: 'execute', reachable: false }));
    registerIdleServices(directory);
    const idle = {
      service: 'score',
      lag: {},
      outboxRows: 0,
      openJobs: {},
      pendingWork: {},
      progress: 1,
      deadLetters: {},
    };
    let score = (): Promise<Activity> => Promise.resolve(idle);
    directory.register({ name: 'score', activity: () => score() });
    const status = async () => (await client.json('GET', '/v1/status')).body;
    expect(await status()).toMatchObject({ quiet: true });
    const waiting = [{ kind: 'target', name: 'nobody', count: 2 }];
    score = () => Promise.resolve({ ...idle, waiting });
    expect(await status()).toMatchObject({ quiet: true, waiting });
    score = () => Promise.resolve({ ...idle, openJobs: { assess: 2 }, notReady: ['no assessor answers'] });
    const stuck = await status();
    expect(stuck).toMatchObject({ quiet: false });
    expect(stuck.services).toContainEqual(
      expect.objectContaining({ service: 'score', not_ready: ['no assessor answers'] }),
    );
    let progress = 1;
    score = () => Promise.resolve({ ...idle, progress: ++progress });
    expect(await status()).toMatchObject({ quiet: false });
    score = () => Promise.reject(new Error('it is away'));
    const { quiet, services } = await status();
    expect(quiet).toBe(false);
    expect(services).toContainEqual({ service: 'score', reachable: false, error: 'it is away' });
  });
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
