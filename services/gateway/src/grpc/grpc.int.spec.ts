import { create } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { curatedTopic, topics } from '@tidemark/event-log';
import {
  Bin,
  CuratedProblemSchema,
  ProblemService,
  RolloutsGradedSchema,
  Stage,
  trainer,
  Verdict,
} from '@tidemark/proto';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grpcRules } from '../access/rules.ts';
import { gatewayService } from '../index.ts';
import { TestClient } from '../testing/client.ts';
import { idOf, payloadOf, publishCurated, publishReady, status as stageStatus } from '../testing/console-events.ts';
import { FakeSelect } from '../testing/fake-select.ts';
import { TestGrpc } from '../testing/grpc-client.ts';
import { GrpcDoor } from './grpc-door.ts';

const FIRST = 'token-of-the-specs';
const { TrainerService } = trainer;
const select = new FakeSelect();
let harness: StageHarness;
let http: TestClient;
let port: number;
const tokens: Record<string, string> = {};
const open: { close(): void }[] = [];

beforeAll(async () => {
  await select.start();
  const config = { selectAddress: select.address, grpcPort: '0' };
  harness = await startStage(gatewayService, { http: true, accessToken: FIRST, config });
  port = harness.service.get(GrpcDoor).port;
  http = new TestClient(harness, { authorization: `Bearer ${FIRST}` });
  for (const target of ['model', 'other']) await http.json('PUT', `/v1/targets/${target}`, {});
  for (const [role, extra] of [
    ['producer', {}],
    ['trainer', { targets: ['model', 'fresh'] }],
    ['reviewer', {}],
  ] as const) {
    const made = await http.json('POST', '/v1/tokens', { name: `the-${role}`, roles: [role], ...extra });
    tokens[role] = String(made.body.token);
  }
  await publishReady(harness, 'sum', { original: 'Add.', cleaned: 'Add.' });
  await publishCurated(harness, ['sum', 'product']);
  await harness.untilQuiet();
});
afterAll(async () => {
  for (const client of open) client.close();
  await harness?.stop();
  select.stop();
});

function clientOf<Service extends typeof ProblemService | typeof TrainerService>(service: Service, token?: string) {
  const client = new TestGrpc(port, service, token);
  open.push(client);
  return client;
}
const producer = () => clientOf(ProblemService, tokens.producer);
const trainee = () => clientOf(TrainerService, tokens.trainer);

const codeOf = (call: Promise<unknown>): Promise<[status, unknown]> =>
  call.then(
    () => [status.OK, undefined],
    (error: ServiceError) => [error.code, error.metadata.get('tidemark-code')[0]],
  );

const record = (id: string, more: object = {}) =>
  new TextEncoder().encode(
    JSON.stringify({ format: 'tidemark.problem.v1', namespace: 'mill', id, statement: `Do ${id}.`, ...more }),
  );

describe('the gRPC door', () => {
  it('has a rule for every method, and no rule without one', async () => {
    const served = [ProblemService, TrainerService].flatMap(({ typeName, methods }) =>
      methods.map(({ name }) => `${typeName}/${name}`),
    );
    const ours = Object.keys(grpcRules).filter((method) => method.startsWith('tidemark.'));
    expect(ours.sort()).toEqual(served.sort());
  });

  it.each([
    ['producer', ProblemService, TrainerService],
    ['trainer', TrainerService, ProblemService],
  ] as const)('lets the %s use its own service and not the other', async (role, own, other) => {
    for (const [service, expected] of [
      [own, 'let in'],
      [other, 'kept out'],
    ] as const) {
      for (const { name } of service.methods) {
        const [code] = await codeOf(rawCall(`/${service.typeName}/${name}`, tokens[role]));
        const kept = code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED;
        // A trainer's empty request names no target of its own.
        const foreign = role === 'trainer' && service === TrainerService && !/Groups$/.test(name);
        expect([name, kept ? 'kept out' : 'let in']).toEqual([name, foreign ? 'kept out' : expected]);
      }
    }
  });

  it('keeps strangers out of everything but health and reflection', async () => {
    for (const service of [ProblemService, TrainerService]) {
      for (const { name } of service.methods) {
        expect(await codeOf(rawCall(`/${service.typeName}/${name}`))).toEqual([
          status.UNAUTHENTICATED,
          'token_missing',
        ]);
      }
    }
    expect((await codeOf(rawCall('/grpc.health.v1.Health/Check')))[0]).toBe(status.OK);
    expect((await codeOf(rawCall('/tidemark.problem.v1.ProblemService/None', FIRST)))[0]).toBe(status.UNIMPLEMENTED);
  });

  it('tells of its services by reflection', async () => {
    // list_services: ""; the answer names them.
    const bytes = await firstOf('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', Buffer.from([0x3a, 0x00]));
    expect(bytes.toString('latin1')).toContain('tidemark.trainer.v1.TrainerService');
    const symbol = Buffer.from('tidemark.trainer.v1.TrainerService');
    const asked = Buffer.concat([Buffer.from([0x22, symbol.length]), symbol]);
    const file = await firstOf('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', asked);
    expect(file.toString('latin1')).toContain('FollowCurated');
  });
});

describe('producers', () => {
  it('are told of each record, and find out what became of it', async () => {
    const { results, repeated } = await producer().unary('offerProblems', {
      settings: { sourceFile: 'mill.jsonl' },
      records: [record('a'), Buffer.from('not json')],
    });
    expect(repeated).toBe(false);
    expect(results).toMatchObject([
      { line: 1n, outcome: { case: 'accepted' } },
      { line: 2n, outcome: { case: 'refused', value: { faults: [{ code: 'invalid_json' }] } } },
    ]);
    const again = await producer().unary('offerProblems', {
      settings: { sourceFile: 'mill.jsonl' },
      records: [record('a'), Buffer.from('not json')],
    });
    expect(again).toMatchObject({ repeated: true, results });
    const found = await producer().unary('findProblems', { records: [{ namespace: 'acme', recordId: 'sum' }] });
    expect(found.problems).toMatchObject([{ problemId: idOf('sum'), state: 'unknown' }]);
    const seen = await clientOf(ProblemService, tokens.reviewer).unary('findProblems', {
      records: [{ namespace: 'acme', recordId: 'sum' }],
    });
    expect(seen.problems).toMatchObject([{ state: 'ready', heldOut: false }]);
    expect(await codeOf(producer().unary('findProblems', {}))).toEqual([status.INVALID_ARGUMENT, 'unusable_content']);
  });

  it('stream records, are answered one by one while they stream, and change nothing by streaming them again', async () => {
    const stream = async () => {
      const call = producer().duplex('streamProblems');
      const answers = call[Symbol.asyncIterator]();
      call.write({ part: { case: 'settings', value: { idempotencyKey: 'one-stream' } } });
      call.write({ part: { case: 'record', value: record('s1') } });
      // Before anything else is sent.
      const first = (await answers.next()).value as { part: { value: unknown } };
      call.write({ part: { case: 'record', value: Buffer.from('{') } });
      call.end();
      const rest: unknown[] = [];
      for (let next = await answers.next(); next.done !== true; next = await answers.next()) rest.push(next.value);
      return [first, ...rest] as { part: { case: string; value: unknown } }[];
    };
    const answers = await stream();
    expect(answers.map(({ part }) => part.case)).toEqual(['result', 'result', 'summary']);
    expect(answers[2]).toMatchObject({ part: { value: { records: 2n, accepted: 1n, refused: 1n } } });
    await harness.untilQuiet();
    const ids = async () => new Set((await harness.published(topics.problemsIntake)).map(({ id }) => id));
    const before = await ids();
    expect((await stream())[0]).toEqual(answers[0]);
    await harness.untilQuiet();
    expect(await ids()).toEqual(before);
  });

  it('watch their records change', async () => {
    const client = clientOf(ProblemService, tokens.reviewer);
    const watch = client.stream('watchProblems', { records: [{ namespace: 'acme', recordId: 'late' }] });
    const states = watch[Symbol.asyncIterator]();
    expect((await states.next()).value).toMatchObject({ problem: { state: 'unknown' } });
    await harness.publish(topics.problemsStatus, stageStatus('late', Stage.INGEST));
    expect((await states.next()).value).toMatchObject({ problem: { state: 'waiting', problemId: idOf('late') } });
    watch.cancel();
  });
});

describe('trainers', () => {
  it('declare targets with the defaults of HTTP, and advance checkpoints', async () => {
    const declare = (settings: object) => trainee().unary('declareTarget', { target: 'fresh', settings });
    expect(await declare({ groupSize: 4 })).toMatchObject({ version: 1, outcome: 'declared', checkpoint: 'base' });
    const same = await http.json('PUT', '/v1/targets/fresh', { group_size: 4 });
    expect(same.body).toMatchObject({ version: 1, outcome: 'unchanged' });
    expect(await codeOf(declare({ groupSize: 0 }))).toEqual([status.INVALID_ARGUMENT, 'unusable_content']);
    expect(await trainee().unary('advanceCheckpoint', { target: 'fresh', checkpoint: 'step-1' })).toMatchObject({
      ordinal: 1,
      outcome: 'advanced',
    });
    expect(await codeOf(trainee().unary('declareTarget', { target: 'other' }))).toEqual([
      status.PERMISSION_DENIED,
      'foreign_target',
    ]);
  });

  it('lease batches with their texts inline, see them again, and give leases back', async () => {
    const problem = { problemId: 'p', bin: Bin.HARD, statement: payloadOf('S') };
    select.answer = { kind: 'batch', answer: { batch: 3n, problems: [{ leaseId: 'l', problem }], workingSet: 9 } };
    const batch = await trainee().unary('nextBatch', { target: 'model', count: 5, seed: 7n });
    expect(batch).toMatchObject({ batch: 3n, seed: 7n, problems: [{ leaseId: 'l', problem: { problemId: 'p' } }] });
    expect(Buffer.from(batch.problems[0]?.problem?.statement?.inline ?? []).toString()).toBe('S');
    expect(select.asked.at(-1)).toMatchObject({ count: 5, seed: 7n, holder: 'the-trainer' });
    select.replayed = { problems: [{ leaseId: 'l', problem }], withdrawn: ['gone'] };
    const again = await trainee().unary('replayBatch', { target: 'model', batch: 3n, seed: 7n });
    expect(again).toMatchObject({ problems: batch.problems, withdrawn: ['gone'] });
    expect(await trainee().unary('returnLeases', { target: 'model', leaseIds: ['l'] })).toMatchObject({ returned: 1 });
    expect(await codeOf(trainee().unary('nextBatch', { target: 'model', count: 20_000 }))).toEqual([
      status.INVALID_ARGUMENT,
      'unusable_content',
    ]);
  });

  it('follow the working set from a position on, with what has left, and begin anew where that is impossible', async () => {
    const follow = (position: string) => {
      const call = trainee().stream('followCurated', { target: 'model', position });
      return { call, changes: call[Symbol.asyncIterator]() as AsyncIterator<trainer.FollowCuratedResponse> };
    };
    const next = async (changes: AsyncIterator<trainer.FollowCuratedResponse>) =>
      (await changes.next()).value as trainer.FollowCuratedResponse;
    const first = follow('');
    expect((await next(first.changes)).change.case).toBe('restart');
    const seen: string[] = [];
    let last = await next(first.changes);
    for (; last.change.case === 'problem'; last = await next(first.changes)) seen.push(last.change.value.problemId);
    expect(seen.sort()).toEqual([idOf('sum'), idOf('product')].sort());
    expect(last.change).toMatchObject({ case: 'alive', value: { caughtUp: true } });
    first.call.cancel();
    await harness.publishTombstone(curatedTopic('model'), idOf('sum'));
    const second = follow(last.position);
    expect((await next(second.changes)).change).toMatchObject({ case: 'left', value: { problemId: idOf('sum') } });
    second.call.cancel();
    const lost = follow('nonsense');
    expect((await next(lost.changes)).change.case).toBe('restart');
    lost.call.cancel();
  });

  it('report groups and wait for verdicts, by either door', async () => {
    const group = (id: string, target = 'model') => ({
      group: id,
      target,
      checkpoint: 'base',
      problem: idOf('sum'),
      attempts: [
        { output: 'print(1)', seed: 2n ** 62n },
        { output: 'print(2)', truncated: true },
      ],
    });
    const reported = await trainee().unary('reportGroups', { groups: [group('g1'), group('g2', 'other')] });
    expect(reported.results).toMatchObject([
      { outcome: { case: 'accepted', value: { group: 'g1' } } },
      { outcome: { case: 'refused', value: { faults: [{ code: 'foreign_target' }] } } },
    ]);
    const answers = trainee().stream('gradeGroups', { groups: [group('g3'), { target: 'model' }], waitSeconds: 60 });
    const told = answers[Symbol.asyncIterator]() as AsyncIterator<trainer.GradeGroupsResponse>;
    expect((await told.next()).value).toMatchObject({ line: 2n, outcome: { case: 'refused' } });
    await harness.publish(topics.rolloutsGraded, gradedGroup('g3'));
    expect((await told.next()).value).toMatchObject({
      line: 1n,
      group: 'g3',
      outcome: { case: 'graded', value: { verdicts: ['accepted', 'sandbox_failure'], passed: 1, counted: 1 } },
    });
    expect((await told.next()).done).toBe(true);
    const { target, checkpoint, problem } = group('g3');
    const line = JSON.stringify({
      group: 'g3',
      target,
      checkpoint,
      problem,
      attempts: [{ output: 'x' }, { output: 'y' }],
    });
    const asTrainer = new TestClient(harness, { authorization: `Bearer ${tokens.trainer}` });
    expect(await asTrainer.upload('/v1/rollouts/grade?wait=5', line)).toMatchObject([
      { outcome: 'graded', group: 'g3', passed: 1 },
    ]);
    const pending = await asTrainer.upload('/v1/rollouts/grade?wait=0', line.replace('g3', 'g4'));
    expect(pending).toMatchObject([{ outcome: 'pending', group: 'g4' }]);
  });
});

describe('clients that behave badly', () => {
  it('who never read keep nobody else waiting', async () => {
    await harness.publish(
      curatedTopic('model'),
      ...Array.from({ length: 200 }, (_, index) =>
        create(CuratedProblemSchema, {
          problemId: idOf(`bulk-${index}`),
          version: 1,
          target: 'model',
          statement: payloadOf('x'.repeat(8_000)),
        }),
      ),
    );
    const calls = Array.from({ length: 20 }, () => {
      const call = trainee().stream('followCurated', { target: 'model' });
      call.on('error', () => undefined);
      return call.pause();
    });
    expect(await trainee().unary('advanceCheckpoint', { target: 'model', checkpoint: 'meanwhile' })).toBeDefined();
    for (const call of calls) call.cancel();
  });

  it('who go away in the middle leave nothing behind', async () => {
    for (let times = 0; times < 20; times++) {
      const call = producer().duplex('streamProblems');
      call.on('error', () => undefined);
      call.write({ part: { case: 'settings', value: {} } });
      call.write({ part: { case: 'record', value: record(`abandoned-${times}`) } });
      call.cancel();
    }
    // Eight uploads may be in hand: the places of those that left are free.
    await expect
      .poll(async () => (await codeOf(producer().unary('offerProblems', { records: [record('after')] })))[0], {
        timeout: 30_000,
      })
      .toBe(status.OK);
  });

  it('who send no message are told so, without a stack trace', async () => {
    for (const service of [ProblemService, TrainerService]) {
      for (const { name } of service.methods) {
        const error = await rawCall(`/${service.typeName}/${name}`, FIRST, Buffer.from('ffffffffff', 'hex')).then(
          () => undefined,
          (thrown: ServiceError) => thrown,
        );
        expect([name, error?.code]).not.toEqual([name, status.OK]);
        expect(error?.details ?? '').not.toMatch(/node_modules|\.ts:|\.js:| at /);
      }
    }
    expect((await codeOf(rawCall('/grpc.health.v1.Health/Check')))[0]).toBe(status.OK);
  });
});

const gradedGroup = (groupId: string) =>
  create(RolloutsGradedSchema, {
    group: { groupId, target: 'model', targetVersion: 1, checkpoint: 'base', problemId: idOf('sum'), version: 1 },
    suiteHash: 'a'.repeat(64),
    judgeVersion: 'judge-1',
    submitter: { name: 'the-trainer' },
    verdicts: [
      { index: 0, verdict: Verdict.ACCEPTED },
      { index: 1, verdict: Verdict.SANDBOX_FAILURE },
    ],
  });

/** Any bytes to any method; streams are asked for their first answer. */
function rawCall(path: string, token?: string, bytes: Buffer = Buffer.alloc(0)): Promise<Buffer | undefined> {
  return firstOf(path, bytes, token).catch((error: unknown) => {
    if (error instanceof Error && error.message === 'ended') return undefined;
    throw error;
  });
}

function firstOf(path: string, bytes: Buffer, token?: string): Promise<Buffer> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return new Promise<Buffer>((resolve, reject) => {
    const call = client.makeBidiStreamRequest(
      path,
      (value: Buffer) => value,
      (value: Buffer) => value,
      metadata,
      { deadline: Date.now() + 30_000 },
    );
    call.on('data', (value: Buffer) => {
      resolve(value);
      call.cancel();
    });
    call.on('error', reject);
    call.on('end', () => setTimeout(() => reject(new Error('ended')), 50));
    call.write(bytes);
    call.end();
  }).finally(() => client.close());
}
