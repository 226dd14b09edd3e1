import { create, toJsonString } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import {
  AnswerForm,
  ProblemWithdrawnSchema,
  Purpose,
  type RolloutsSubmitted,
  RolloutsSubmittedSchema,
  Stage,
  StopReason,
} from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sampleService } from '../index.ts';
import { aProblem, aRequest, aTarget } from '../testing/events.ts';
import { ScriptedEndpoint, type ScriptedAnswer, type SeenCall } from '../testing/scripted-endpoint.ts';

const TOKEN = 'token-that-nobody-may-see';
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `answer ${from + index}`);
const one = ({ number }: SeenCall): ScriptedAnswer => ({
  choices: [`answer ${number}`],
  usage: { prompt_tokens: 11, completion_tokens: 7 },
});

describe('asking an endpoint for attempts', () => {
  let stage: StageHarness;
  const servers: ScriptedEndpoint[] = [];
  let count = 0;

  beforeAll(async () => {
    // The token is for one origin; every scripted endpoint has another port, and so another origin.
    stage = await startStage(sampleService, {
      config: { requestTimeoutMs: '1000', patienceMs: '3000', endpointTokens: `http://127.0.0.1:9=${TOKEN}` },
    });
  });
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
  afterAll(() => stage?.stop());

  async function endpoint(script: (call: SeenCall) => ScriptedAnswer): Promise<ScriptedEndpoint> {
    const server = await new ScriptedEndpoint(script).start();
    servers.push(server);
    return server;
  }

  /** Declares a target at the address, verifies a problem, and asks for attempts. */
  async function ask(baseUrl: string, fields: object = {}, target: object = {}) {
    count += 1;
    const names = { target: `target-${count}`, problem: `problem-${count}`, request: `request-${count}` };
    await stage.publish(topics.targetsDeclared, aTarget(names.target, baseUrl, target));
    await stage.publish(topics.problemsVerified, aProblem(names.problem));
    await stage.publish(topics.rolloutsRequested, aRequest(names.request, names.target, names.problem, fields));
    return names;
  }

  async function groupsOf(target: string): Promise<RolloutsSubmitted[]> {
    const all = (await stage.published(topics.rolloutsSubmitted)).flatMap(({ value }) => (value ? [value] : []));
    return all.filter(({ group }) => group?.target === target);
  }
  const textsOf = (group: RolloutsSubmitted | undefined) =>
    (group?.attempts ?? []).map(({ output }) => new TextDecoder().decode(output?.inline));
  const stateOf = (request: string) =>
    stage.query('SELECT state, reason FROM request WHERE request_id = $1', [request]);

  it('submits the group that came in one call, and shows the statement alone', async () => {
    const server = await endpoint(({ body }) => ({
      choices: numbered(body.n ?? 1),
      // As a real server does: the count of one choice, or of nobody knows what.
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    }));
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();

    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.body).toMatchObject({
      model: 'scripted',
      n: 8,
      messages: [{ role: 'user', content: `Solve.\nPrint ${names.problem}.` }],
      temperature: 0.7,
      top_p: 0.9,
      max_tokens: 64,
    });
    expect(JSON.stringify(server.seen[0])).not.toMatch(/HIDDEN/);

    const [group, ...others] = await groupsOf(names.target);
    expect(others).toEqual([]);
    expect(textsOf(group)).toEqual(numbered(8));
    expect(group?.attempts.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(group?.attempts.every(({ outputTokens, seed }) => outputTokens === 0 && seed === undefined)).toBe(true);
    expect(group?.group).toMatchObject({
      target: names.target,
      targetVersion: 1,
      checkpoint: 'base',
      problemId: names.problem,
      version: 1,
      purpose: Purpose.CALIBRATE,
    });
    expect(group?.group?.promptHash).toMatch(/^[0-9a-f]{64}$/);
    expect(group?.group?.intakeHour).toBe(Math.floor(Date.now() / 3_600_000));
    expect(await stateOf(names.request)).toEqual([{ state: 'done', reason: '' }]);
    expect(await stage.query('SELECT 1 FROM answer')).toEqual([]);
  });

  it('counts what arrived where n is ignored, and asks for the rest one by one', async () => {
    const server = await endpoint(one);
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();

    expect(server.seen).toHaveLength(8);
    expect(server.seen.filter(({ body }) => body.n !== undefined)).toHaveLength(1);
    const [group] = await groupsOf(names.target);
    expect(new Set(textsOf(group)).size).toBe(8);
    const seeds = group?.attempts.flatMap(({ seed }) => (seed === undefined ? [] : [seed])) ?? [];
    // The first call asked for eight: its seed is not one text's.
    expect(new Set(seeds).size).toBe(7);
    expect(seeds.map(Number).sort()).toEqual(
      server.seen
        .slice(1)
        .map(({ body }) => body.seed)
        .sort(),
    );
    expect(group?.attempts.every(({ promptTokens, outputTokens }) => promptTokens === 11 && outputTokens === 7)).toBe(
      true,
    );
  });

  it('takes no more than it wants where more came', async () => {
    const server = await endpoint(() => ({ choices: numbered(20) }));
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();
    expect(textsOf((await groupsOf(names.target))[0])).toEqual(numbered(8));
  });

  it('asks more plainly where several choices, a seed, or the name of the token limit bring an error', async () => {
    const server = await endpoint((call) => {
      if (call.body.n !== undefined) return { status: 500 };
      if (call.body.seed !== undefined) return { status: 422 };
      if (call.body.max_tokens !== undefined) return { status: 400 };
      return one(call);
    });
    const names = await ask(server.baseUrl, { attempts: 3 });
    await stage.untilQuiet();

    const [group] = await groupsOf(names.target);
    expect(group?.attempts).toHaveLength(3);
    expect(group?.attempts.every(({ seed }) => seed === undefined)).toBe(true);
    expect(server.seen.at(-1)?.body.max_completion_tokens).toBe(64);
    // What was learned is kept: the last two answers took one call each.
    expect(
      server.seen.slice(-2).every(({ body }) => body.max_completion_tokens === 64 && body.seed === undefined),
    ).toBe(true);
  });

  it('comes back when a busy endpoint says so', async () => {
    const times: number[] = [];
    const server = await endpoint((call) => {
      times.push(performance.now());
      return call.number === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { choices: numbered(8) };
    });
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();

    expect(await groupsOf(names.target)).toHaveLength(1);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('keeps an answer that the token limit cut as a truncated attempt', async () => {
    const server = await endpoint(({ number }) => ({ choices: ['cut'], finish: number % 2 === 1 ? 'length' : 'stop' }));
    const names = await ask(server.baseUrl, { attempts: 4 });
    await stage.untilQuiet();

    const reasons = (await groupsOf(names.target))[0]?.attempts.map(({ stopReason }) => stopReason) ?? [];
    expect(reasons.sort()).toEqual([StopReason.STOP, StopReason.STOP, StopReason.LENGTH, StopReason.LENGTH]);
  });

  it('asks again after broken JSON, an answer without choices, and no answer at all', async () => {
    const server = await endpoint(({ number }) => {
      if (number === 1) return { status: 200, text: '{"choices": [{"message": {"cont' };
      if (number === 2) return { status: 200, text: '{"choices": []}' };
      if (number === 3) return 'hang';
      return { choices: numbered(8) };
    });
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();
    expect(textsOf((await groupsOf(names.target))[0])).toEqual(numbered(8));
    expect(server.seen).toHaveLength(4);
  });

  it('waits for an endpoint that is down, says so, and lays nothing aside', async () => {
    const server = await endpoint(() => ({ choices: numbered(8) }));
    await server.stop();
    const names = await ask(server.baseUrl);
    await expect
      .poll(() => stage.service.readiness().reasons.join('\n'), { timeout: 15_000 })
      .toMatch(/endpoint http:\/\/127\.0\.0\.1:\d+: it cannot be reached \(ECONNREFUSED\)/);
    expect(stage.service.readiness().ready).toBe(false);
    expect(await stateOf(names.request)).toEqual([{ state: 'asking', reason: '' }]);

    await server.start();
    const activity = await stage.untilQuiet(60_000);
    expect(await groupsOf(names.target)).toHaveLength(1);
    expect(activity.deadLetters).toEqual({});
    expect(stage.service.readiness().ready).toBe(true);
  });

  it('waits as well where the address is right and the token or the model is not', async () => {
    for (const status of [401, 404]) {
      const server = await endpoint(() => ({ status }));
      const names = await ask(server.baseUrl);
      await expect
        .poll(() => stage.service.readiness().reasons.join('\n'), { timeout: 15_000 })
        .toMatch(new RegExp(`status ${status}`));
      expect(await stateOf(names.request)).toEqual([{ state: 'asking', reason: '' }]);
      server.behave(() => ({ choices: numbered(8) }));
      await stage.untilQuiet(60_000);
      expect(await groupsOf(names.target)).toHaveLength(1);
    }
  });

  it('gives up one call that an endpoint refuses which answers others', async () => {
    const server = await endpoint((call) =>
      call.body.messages?.[0]?.content.includes('too long') ? { status: 400 } : { choices: numbered(call.body.n ?? 1) },
    );
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();
    const long = await ask(server.baseUrl, {}, { promptTemplate: 'too long {{statement}}' });
    const activity = await stage.untilQuiet();

    expect(await groupsOf(names.target)).toHaveLength(1);
    expect(await groupsOf(long.target)).toEqual([]);
    expect(await stateOf(long.request)).toEqual([{ state: 'refused', reason: 'refused_by_endpoint' }]);
    expect(activity.deadLetters).toEqual({});
  });

  it('submits what came before the endpoint refused the rest, and says that it is less than was wanted', async () => {
    const server = await endpoint((call) => (call.number <= 3 ? one(call) : { status: 400 }));
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();

    const [group, ...others] = await groupsOf(names.target);
    expect(others).toEqual([]);
    expect(textsOf(group).sort()).toEqual(numbered(group?.attempts.length ?? 0, 1));
    expect(group?.attempts.length).toBeGreaterThanOrEqual(3);
    expect(group?.attempts.map(({ index }) => index)).toEqual(group?.attempts.map((_, index) => index));
    expect(group?.sampler?.settings).toMatchObject({ attempts_wanted: '8', short_of: 'refused_by_endpoint' });
    expect(await stateOf(names.request)).toEqual([{ state: 'done', reason: 'refused_by_endpoint' }]);
    expect(await stage.query('SELECT 1 FROM answer')).toEqual([]);
  });

  it('tops up after single calls were refused', async () => {
    const refused = new Set<number | undefined>();
    const server = await endpoint((call) => {
      if (call.number === 1) return one(call);
      // Each call is refused once, however it is put.
      const first = !refused.has(call.body.seed) && call.number % 2 === 0;
      refused.add(call.body.seed);
      return first ? { status: 400 } : one(call);
    });
    const names = await ask(server.baseUrl);
    await stage.untilQuiet();
    expect((await groupsOf(names.target))[0]?.attempts).toHaveLength(8);
    expect(await stateOf(names.request)).toEqual([{ state: 'done', reason: '' }]);
  });

  it('submits what came of a problem that is withdrawn in the middle', async () => {
    let held = false;
    const server = await endpoint((call) => {
      if (call.number <= 4) return one(call);
      held = true;
      return { status: 503 };
    });
    const names = await ask(server.baseUrl);
    await expect.poll(() => held, { timeout: 15_000 }).toBe(true);
    await stage.publish(
      topics.problemsWithdrawn,
      create(ProblemWithdrawnSchema, { problemId: names.problem, version: 1, stage: Stage.GATEWAY, reason: 'leaked' }),
    );
    await stage.untilQuiet(60_000);
    const [group] = await groupsOf(names.target);
    expect(group?.attempts).toHaveLength(4);
    expect(group?.group).toMatchObject({ problemId: names.problem, version: 1, targetVersion: 1 });
    expect(await stateOf(names.request)).toEqual([{ state: 'done', reason: 'withdrawn' }]);
  });

  it('asks a completing model for completions', async () => {
    const server = await endpoint(() => ({ choices: numbered(8) }));
    const names = await ask(server.baseUrl, {}, { answerForm: AnswerForm.COMPLETION });
    await stage.untilQuiet();
    expect(server.seen[0]?.path).toBe('/v1/completions');
    expect(server.seen[0]?.body.prompt).toBe(`Solve.\nPrint ${names.problem}.`);
    expect(textsOf((await groupsOf(names.target))[0])).toEqual(numbered(8));
  });

  it('waits for a problem and a target that come later, and asks once for a request that comes twice', async () => {
    const server = await endpoint(() => ({ choices: numbered(8) }));
    const early = aRequest('early', 'late-target', 'late-problem');
    await stage.publish(topics.rolloutsRequested, early, early);
    await stage.untilQuiet();
    expect(await stateOf('early')).toEqual([{ state: 'waiting', reason: '' }]);
    await stage.publish(topics.problemsVerified, aProblem('late-problem'));
    await stage.untilQuiet();
    await stage.publish(topics.targetsDeclared, aTarget('late-target', server.baseUrl));
    await stage.untilQuiet();

    expect(await groupsOf('late-target')).toHaveLength(1);
    expect(server.seen).toHaveLength(1);
  });

  it('asks nobody about a withdrawn problem', async () => {
    const server = await endpoint(() => ({ choices: numbered(8) }));
    await stage.publish(
      topics.problemsWithdrawn,
      create(ProblemWithdrawnSchema, { problemId: 'gone', version: 1, stage: Stage.INGEST, reason: 'taken_down' }),
    );
    await stage.publish(topics.problemsVerified, aProblem('gone'));
    await stage.publish(topics.targetsDeclared, aTarget('asks-for-gone', server.baseUrl));
    await stage.untilQuiet();
    await stage.publish(topics.rolloutsRequested, aRequest('gone-request', 'asks-for-gone', 'gone'));
    await stage.untilQuiet();
    expect(server.seen).toEqual([]);
    expect(await stateOf('gone-request')).toEqual([{ state: 'refused', reason: 'withdrawn' }]);
  });

  it('loses no answer that came before a crash, and submits the group once', { timeout: 120_000 }, async () => {
    let held: SeenCall | undefined;
    const server = await endpoint((call) => {
      if (call.number <= 4) return { choices: [`answer ${call.number}`] };
      held = call;
      return 'hang';
    });
    const names = await ask(server.baseUrl);
    await expect.poll(() => held, { timeout: 15_000 }).toBeDefined();
    await expect
      .poll(async () => (await stage.query('SELECT 1 FROM answer WHERE request_id = $1', [names.request])).length)
      .toBeGreaterThanOrEqual(1);
    await stage.kill();
    const kept = await stage.query<{ slot: number }>('SELECT slot FROM answer WHERE request_id = $1', [names.request]);
    const before = server.seen.length;
    server.behave(({ number }) => ({ choices: [`answer ${number}`] }));
    await stage.restart();
    await stage.untilQuiet(60_000);

    const groups = await groupsOf(names.target);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.attempts).toHaveLength(8);
    expect(server.seen.length - before).toBeLessThanOrEqual(8 - kept.length + 1);
  });

  it('sends a token to its own origin, and tells it nobody', async () => {
    const server = await endpoint(() => ({ choices: numbered(8) }));
    const trusted = await startStage(sampleService, { config: { endpointTokens: `${server.baseUrl}=${TOKEN}` } });
    try {
      await trusted.publish(topics.targetsDeclared, aTarget('trusted', server.baseUrl));
      await trusted.publish(topics.problemsVerified, aProblem('p'));
      await trusted.publish(topics.rolloutsRequested, aRequest('r', 'trusted', 'p'));
      await trusted.untilQuiet();
      expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
      const told = (await trusted.published(topics.rolloutsSubmitted)).map(({ value }) =>
        value ? toJsonString(RolloutsSubmittedSchema, value) : '',
      );
      expect(told).toHaveLength(1);
      expect(told.join()).not.toContain(TOKEN);
    } finally {
      await trusted.stop();
    }

    const stranger = await endpoint(() => ({ choices: numbered(8) }));
    await ask(stranger.baseUrl);
    await stage.untilQuiet();
    expect(stranger.seen[0]?.headers.authorization).toBeUndefined();
  });
});
