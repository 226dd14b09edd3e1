import { ModulesContainer } from '@nestjs/core';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servedRoutes } from '../http/served-routes.ts';
import { gatewayService } from '../index.ts';
import { TestClient } from '../testing/client.ts';
import { idOf, publishSmallStream } from '../testing/console-events.ts';
import { registerIdleServices } from '../testing/idle-services.ts';
import { ServiceDirectory } from '../status/service-directory.ts';
import { httpRules } from './rules.ts';

const FIRST = 'token-of-the-specs';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let harness: StageHarness;
let operator: TestClient;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const config = { macSecret: 'a-secret-of-the-specs' };
  harness = await startStage(gatewayService, { http: true, accessToken: FIRST, config });
  registerIdleServices(harness.service.get(ServiceDirectory));
  operator = new TestClient(harness, bearer(FIRST));
  for (const target of ['model', 'mine']) await operator.json('PUT', `/v1/targets/${target}`, { display_name: target });
  await operator.upload('/v1/benchmarks/exam', '', {});
  await operator.send('PUT', '/v1/benchmarks/exam', '{"id":"q1","statement":"benchmark-sentinel of the exam"}\n');
  await publishSmallStream(harness);
  for (const [role, extra] of [
    ['producer', {}],
    ['trainer', { targets: ['mine'] }],
    ['reviewer', {}],
    ['operator', {}],
  ] as const) {
    const made = await operator.json('POST', '/v1/tokens', { name: `the-${role}`, roles: [role], ...extra });
    expect(made.status).toBe(201);
    tokens[role] = String(made.body.token);
  }
  await harness.untilQuiet();
});
afterAll(() => harness?.stop());

const clientOf = (role: string) => new TestClient(harness, bearer(tokens[role] ?? ''));

/** What each may use, written by hand: a route that is not here is for operators alone. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  producer: [
    'POST /v1/problems',
    'POST /v1/problems/withdraw',
    'GET /v1/problems',
    'GET /v1/problems/:id',
    'GET /v1/submissions',
    'POST /v1/submissions/find',
    'POST /v1/submissions/watch',
  ],
  trainer: [
    'GET /v1/submissions',
    'POST /v1/rollouts',
    'POST /v1/rollouts/grade',
    'GET /v1/targets',
    'GET /v1/commands/:id',
    'PUT /v1/targets/:slug',
    'POST /v1/targets/:slug/checkpoints',
    'POST /v1/targets/:slug/evaluate',
    'POST /v1/targets/:slug/measure',
    'GET /v1/targets/:slug/bins',
    'GET /v1/targets/:slug/moves',
    'GET /v1/targets/:slug/curated',
    'GET /v1/targets/:slug/curated/changes',
    'GET /v1/targets/:slug/snapshot',
    'POST /v1/targets/:slug/batches',
    'GET /v1/targets/:slug/batches/:batch',
    'POST /v1/targets/:slug/leases/return',
  ],
  reviewer: [
    'POST /v1/submissions/find',
    'POST /v1/submissions/watch',
    'GET /v1/problems',
    'GET /v1/problems/:id',
    'GET /v1/submissions',
    'GET /v1/targets',
    'GET /v1/targets/:slug/bins',
    'GET /v1/targets/:slug/moves',
    'GET /v1/targets/:slug/curated',
    'GET /v1/targets/:slug/curated/changes',
    'GET /v1/targets/:slug/snapshot',
    'GET /v1/commands/:id',
    'GET /v1/status',
    'GET /v1/events',
    'GET /v1/benchmarks',
    'GET /v1/dead-letters',
    'GET /v1/dead-letters/:id',
    'GET /v1/console/problems/:id/texts',
    'GET /v1/console/problems/:id/tests',
    'GET /v1/console/problems/:id/attempts',
    'GET /v1/console/problems/:id/posterior',
    'GET /v1/console/problems/:id/cluster',
    'GET /v1/console/targets/:slug/working-set',
    'GET /v1/console/targets/:slug/moves',
    'GET /v1/console/targets/:slug/evaluations',
    'GET /v1/console/sources',
    'GET /v1/console/dead-letter-kinds',
  ],
};
const openToAll = /^GET \/(livez|readyz|assets\/:name|favicon\.svg|problems|targets|dead-letters|services|$)/;

const routes = (): string[] => servedRoutes(harness.service.get(ModulesContainer));

const endless = new Set(['GET /v1/events', 'GET /v1/targets/:slug/curated/changes']);

/** Asks a route with names that are there; @returns the status and the start of the answer. */
async function ask(client: TestClient, route: string, target: string, headers = {}): Promise<[number, string]> {
  const [method = '', path = ''] = route.split(' ');
  const named = path
    .replace(':slug', target)
    .replace(':id', path.includes('problems') ? idOf('secret') : 'none')
    .replace(':name', 'exam')
    .replace(':topic', `curated.${target}.v1`);
  const query = path.startsWith('/v1/console') ? `?target=${target}` : '';
  // Of what names something to change, nothing is there: a scan with the operator's token leaves all as it was.
  const body = method === 'GET' || method === 'DELETE' ? undefined : '{"none":1}';
  const response = await client.send(method, `${named}${query}`, body, headers);
  if (endless.has(route) && response.ok) {
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return [response.status, Buffer.from(value ?? []).toString()];
  }
  return [response.status, await response.text()];
}

describe('a scan over every route with every role', () => {
  it('finds a rule for each route, and no rule without a route', () => {
    expect(Object.keys(httpRules).sort()).toEqual(routes());
  });

  it.each(['producer', 'trainer', 'reviewer'])(
    'lets the %s use what is meant for it, and nothing else',
    async (role) => {
      const used: string[] = [];
      for (const route of routes().filter((candidate) => !openToAll.test(candidate))) {
        const [status, text] = await ask(clientOf(role), route, 'mine');
        expect([route, status]).not.toEqual([route, 401]);
        if (status !== 403) used.push(route);
        else expect([route, text]).toEqual([route, expect.stringContaining('role_missing')]);
      }
      expect(used.sort()).toEqual([...(mayUse[role] ?? [])].sort());
    },
  );

  it('lets operators use everything', async () => {
    for (const route of routes()) {
      if (/tokens\/:id|benchmarks\/:name/.test(route)) continue;
      const [status] = await ask(clientOf('operator'), route, 'mine');
      expect([route, [401, 403].includes(status)]).toEqual([route, false]);
    }
  });

  it('keeps strangers, and tokens that ended, out of everything but the open page', async () => {
    const made = await operator.json('POST', '/v1/tokens', { name: 'gone', roles: ['operator'] });
    const revoked = new TestClient(harness, bearer(String(made.body.token)));
    expect((await revoked.send('GET', '/v1/tokens')).status).toBe(200);
    expect((await operator.send('DELETE', `/v1/tokens/${String(made.body.token_id)}`)).status).toBe(200);
    const brief = await operator.json('POST', '/v1/tokens', { name: 'brief', roles: ['operator'], expires_days: 1e-9 });
    const expired = new TestClient(harness, bearer(String(brief.body.token)));
    for (const route of routes().filter((candidate) => !openToAll.test(candidate))) {
      for (const client of [new TestClient(harness), revoked, expired]) {
        expect([route, (await ask(client, route, 'mine'))[0]]).toEqual([route, 401]);
      }
    }
  });
});

describe('a trainer', () => {
  it('reaches no other target by any route', async () => {
    for (const route of routes().filter((candidate) => candidate.includes('/v1/targets/:slug'))) {
      expect([route, await ask(clientOf('trainer'), route, 'model')]).toEqual([
        route,
        [403, expect.stringContaining('foreign_target')],
      ]);
    }
    const { body } = await clientOf('trainer').json('GET', '/v1/targets');
    expect((body.targets as { target: string }[]).map(({ target }) => target)).toEqual(['mine']);
  });

  it('reads no hidden test, held-out problem, benchmark, output or other target, whatever it asks', async () => {
    const secrets = ['hidden-input', 'hidden-output', 'Held out.', 'benchmark-sentinel', 'printed', 'Title of product'];
    const found: string[] = [];
    for (const route of routes()) {
      for (const target of ['mine', 'model']) {
        const [, text] = await ask(clientOf('trainer'), route, target);
        for (const secret of secrets) if (text.includes(secret)) found.push(`${route}: ${secret}`);
      }
    }
    const own = '?namespace=acme&id=secret';
    expect((await clientOf('trainer').json('GET', `/v1/submissions${own}`)).status).toBe(404);
    expect(found).toEqual([]);
    // The words are there to be found by who may see them.
    const seen = JSON.stringify(await clientOf('reviewer').json('GET', `/v1/console/problems/${idOf('sum')}/tests`));
    expect(seen).toContain('hidden-output');
  });

  it('reports to its own targets alone', async () => {
    const group = (target: string) => ({
      format: 'tidemark.rollouts.v1',
      target,
      checkpoint: 'base',
      problem: idOf('sum'),
      attempts: [{ output: 'print(1)' }],
    });
    const lines = ['mine', 'model'].map((target) => JSON.stringify(group(target))).join('\n');
    const answers = await clientOf('trainer').upload('/v1/rollouts', lines);
    expect(answers).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'refused', field: 'target', code: 'foreign_target' },
      { outcome: 'summary', accepted: 1, refused: 1 },
    ]);
  });

  it('finds its own commands, and nobody else’s', async () => {
    const { body } = await clientOf('trainer').json('POST', '/v1/targets/mine/evaluate', {});
    const path = `/v1/commands/${String(body.command_id)}`;
    expect((await clientOf('trainer').json('GET', path)).status).toBe(200);
    expect((await clientOf('reviewer').json('GET', path)).status).toBe(200);
    const other = await operator.json('POST', '/v1/targets/model/evaluate', {});
    const answer = await clientOf('trainer').json('GET', `/v1/commands/${String(other.body.command_id)}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'unknown_command' } });
  });
});

describe('a producer', () => {
  it('is told of what it offered, and of nothing else', async () => {
    const record = (id: string) =>
      JSON.stringify({ format: 'tidemark.problem.v1', namespace: 'mill', id, statement: id });
    await clientOf('producer').upload('/v1/problems?source_file=mill.jsonl', `${record('a')}\nnot json\n`);
    const lost = await clientOf('producer').json('GET', '/v1/submissions?source_file=set.jsonl');
    expect(lost.body).toMatchObject({ problems: [], refused: [], groups: [], dead_letters: [] });
    const own = await clientOf('producer').json('GET', '/v1/submissions?source_file=mill.jsonl');
    expect(own.body).toMatchObject({ refused: [{ line: 2 }] });
    expect((await clientOf('producer').json('GET', `/v1/problems/${idOf('sum')}`)).status).toBe(404);
    expect((await clientOf('producer').json('GET', '/v1/submissions?namespace=acme&id=sum')).status).toBe(404);
    expect((await clientOf('producer').json('GET', '/v1/problems')).body.problems).toEqual([]);
    expect((await clientOf('reviewer').json('GET', `/v1/problems/${idOf('sum')}`)).status).toBe(200);
  });
});

describe('tokens', () => {
  it('are shown once, and kept as a hash', async () => {
    const { body } = await operator.json('POST', '/v1/tokens', { name: 'fresh', roles: ['producer'] });
    const secret = String(body.token);
    expect(secret).toMatch(/^tdm_[0-9a-f]{12}_[\w-]{43}$/);
    expect(JSON.stringify(await operator.json('GET', '/v1/tokens'))).not.toContain(secret);
    const dump = JSON.stringify([
      await harness.query('SELECT * FROM token'),
      await harness.query('SELECT * FROM audit'),
    ]);
    expect(dump).not.toContain(secret.slice(17));
  });

  it.each([
    [{ name: 'x', roles: [] }, 422],
    [{ name: 'x', roles: ['trainer'] }, 422],
    [{ name: 'x', roles: ['producer'], targets: ['mine'] }, 422],
    [{ name: 'x', roles: ['producer'], trusted_to_grade: true }, 422],
    [{ name: 'no blanks', roles: ['producer'] }, 422],
    [{ name: 'local', roles: ['producer'] }, 409],
    [{ name: 'operator', roles: ['producer'] }, 409],
  ])('%j is refused with %i', async (body, status) => {
    expect((await operator.json('POST', '/v1/tokens', body)).status).toBe(status);
  });
});

describe('the audit log', () => {
  it('says who ordered what, when, and how it ended, refusals too, and holds nothing of a body', async () => {
    await clientOf('trainer').json('PUT', '/v1/targets/mine', { prompt_template: 'a-secret-of-the-body' });
    await clientOf('trainer').json('PUT', '/v1/targets/model', {});
    await operator.json('PUT', '/v1/targets/mine', { group_size: 0 });
    await expect
      .poll(async () => (await operator.json('GET', '/v1/audit?limit=3')).body.entries, { timeout: 30_000 })
      .toMatchObject([
        { who: 'operator', token_id: null, action: 'PUT /v1/targets/:slug', result: '422' },
        { who: 'the-trainer', subject: { slug: 'model' }, result: 'foreign_target' },
        { who: 'the-trainer', token_id: expect.any(String) as string, subject: { slug: 'mine' }, result: '201' },
      ]);
    const { body } = await operator.json('GET', '/v1/audit?limit=2');
    const next = await operator.json('GET', `/v1/audit?limit=1&cursor=${String(body.next)}`);
    expect(next.body.entries).toMatchObject([{ result: '201' }]);
    expect(JSON.stringify(await harness.query('SELECT * FROM audit'))).not.toContain('a-secret-of-the-body');
  });
});

describe('limits of a token', () => {
  it('answer 429 with when to come back, and leave other tokens alone', async () => {
    const small = await startStage(gatewayService, {
      http: true,
      accessToken: FIRST,
      config: { tokenRequestsPerSecond: '0.001', tokenRequestsAtOnce: '2' },
    });
    try {
      const first = new TestClient(small, bearer(FIRST));
      const { body } = await first.json('POST', '/v1/tokens', { name: 'other', roles: ['operator'] });
      const other = new TestClient(small, bearer(String(body.token)));
      const refused = await first.send('GET', '/v1/targets');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
      expect(await refused.json()).toMatchObject({ code: 'too_many_requests', do: expect.any(String) as string });
      expect((await other.send('GET', '/v1/targets')).status).toBe(200);
    } finally {
      await small.stop();
    }
  });

  it('are given back by clients that left before they were let in', async () => {
    const small = await startStage(gatewayService, {
      http: true,
      accessToken: FIRST,
      config: { tokenRequestsAtOnce: '1' },
    });
    try {
      const { body } = await new TestClient(small, bearer(FIRST)).json('POST', '/v1/tokens', {
        name: 'hasty',
        roles: ['operator'],
      });
      const hasty = bearer(String(body.token));
      const held = small.query('DO $$ BEGIN LOCK TABLE token IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(2); END $$');
      const locks = `SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'token'::regclass`;
      await expect.poll(() => small.query(locks), { timeout: 30_000, interval: 20 }).toHaveLength(1);
      const left = fetch(`${small.service.address}/v1/targets`, { headers: hasty, signal: AbortSignal.timeout(300) });
      await expect(left).rejects.toThrow();
      await held;
      const status = async () => (await new TestClient(small, hasty).send('GET', '/v1/targets')).status;
      await expect.poll(status, { timeout: 20_000 }).toBe(200);
    } finally {
      await small.stop();
    }
  });

  it('count streams until they end', async () => {
    const small = await startStage(gatewayService, {
      http: true,
      accessToken: FIRST,
      config: { tokenRequestsAtOnce: '2' },
    });
    try {
      const first = new TestClient(small, bearer(FIRST));
      const streams = [await first.send('GET', '/v1/events'), await first.send('GET', '/v1/events')];
      expect(streams.map(({ status }) => status)).toEqual([200, 200]);
      expect(await first.json('GET', '/v1/targets')).toMatchObject({ status: 429, body: { code: 'too_many_at_once' } });
      await streams[0]?.body?.cancel();
      await expect.poll(async () => (await first.send('GET', '/v1/targets')).status, { timeout: 30_000 }).toBe(200);
      await streams[1]?.body?.cancel();
    } finally {
      await small.stop();
    }
  });
});
