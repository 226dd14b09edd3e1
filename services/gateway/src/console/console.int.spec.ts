import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import {
  benchmarksSchema,
  deadLettersPageSchema,
  fitAnswer,
  problemsPageSchema,
  statusSchema,
  submissionsSchema,
  targetsSchema,
  topicsSchema,
} from '@tidemark/http-contract';
import type { ZodType } from 'zod';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from '../index.ts';
import { TestClient } from '../testing/client.ts';
import { graded, idOf, payloadOf, publishSmallStream, status, stopped } from '../testing/console-events.ts';
import {
  ProblemNormalizedSchema,
  ProblemRawSchema,
  ProblemUniqueSchema,
  ProblemWithdrawnSchema,
  ReviewRequestedSchema,
  Split,
  Stage,
} from '@tidemark/proto';
import { KEPT_GROUPS } from './kept/keep-attempts.ts';
import { LiveStatus } from './events/live-status.ts';

let harness: StageHarness;
let client: TestClient;
let site: string;

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), 'tidemark-site-'));
  await mkdir(join(site, 'assets'));
  await writeFile(join(site, 'index.html'), '<meta name="tidemark-nonce" content="__TIDEMARK_NONCE__">');
  await writeFile(join(site, 'assets', 'index-abc.js'), 'export {};');
  await writeFile(join(site, 'secret.txt'), 'not served');
  harness = await startStage(gatewayService, { http: true, config: { consoleFolder: site } });
  client = new TestClient(harness);
  await client.json('PUT', '/v1/targets/model', { display_name: 'Model' });
  await publishSmallStream(harness);
  await harness.untilQuiet();
});
afterAll(async () => {
  await harness?.stop();
  await rm(site, { recursive: true, force: true });
});

const get = async (path: string) => (await client.json('GET', path)).body;

describe('the page', () => {
  it('comes with a policy under which no inline script runs, and a nonce of its own each time', async () => {
    const nonces: string[] = [];
    for (const path of ['/', '/problems?state=ready', `/problems/${idOf('sum')}`, '/targets/model', '/services']) {
      const response = await client.send('GET', path);
      expect([path, response.status]).toEqual([path, 200]);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1] ?? '';
      expect(await response.text()).toContain(`content="${nonce}"`);
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it('has its files, and nothing else of the folder or of the machine', async () => {
    const script = await client.send('GET', '/assets/index-abc.js');
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect(script.headers.get('cache-control')).toContain('immutable');
    const etag = script.headers.get('etag') ?? '';
    expect((await client.send('GET', '/assets/index-abc.js', undefined, { 'if-none-match': etag })).status).toBe(304);
    for (const path of ['/secret.txt', '/assets/..%2fsecret.txt', '/assets/%2e%2e/secret.txt', '/assets/none.js']) {
      expect([path, (await client.send('GET', path)).status]).toEqual([path, 404]);
    }
  });

  it('is for this machine alone without a token, like everything else', async () => {
    const foreign = await rawGet(harness.service.address ?? '', '/', 'evil.example');
    expect(foreign).toContain('foreign_host');
    expect((await client.send('GET', '/', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await client.send('GET', '/v1/events', undefined, { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('a problem', () => {
  it('is shown as it came and as it was cleaned', async () => {
    expect(await get(`/v1/console/problems/${idOf('sum')}/texts`)).toMatchObject({
      withheld: null,
      original: { text: '<p>Add <b>two</b> numbers.</p>', cut: 0, version: 1 },
      cleaned: { title: 'Title of sum' },
    });
  });

  it('shows its judging tests page by page', async () => {
    const tests = await get(`/v1/console/problems/${idOf('sum')}/tests?offset=1&limit=1`);
    expect(tests).toMatchObject({ withheld: null, form: 'stdin', checker: 'tokens', total: 2 });
    expect(tests.tests).toMatchObject([
      { name: '2', public: false, input: { text: 'hidden-input' }, expected: { text: 'hidden-output' } },
    ]);
  });

  it('says where its tests share the program’s process, to who asks for its story and who trains on it', async () => {
    for (const [name, shares_process] of [
      ['sum', true],
      ['product', false],
    ] as const)
      expect(await get(`/v1/problems/${idOf(name)}`)).toMatchObject({ verified: { shares_process } });
    const curated = await client.lines('/v1/targets/model/curated');
    expect(curated.map(({ problem_id, shares_process }) => [problem_id, shares_process])).toEqual([
      [idOf('sum'), true],
      [idOf('product'), false],
    ]);
  });

  it('shows attempts one by one, newest group first, and how its estimate went', async () => {
    const { groups } = await get(`/v1/console/problems/${idOf('sum')}/attempts?target=model`);
    expect(groups).toMatchObject([{ group_id: 'sum-2' }, { group_id: 'sum-1' }]);
    expect((groups as { attempts: object[] }[])[0]?.attempts[7]).toMatchObject({
      verdict: 'wrong_answer',
      tests_passed: 1,
      failing_test: '2',
      excerpt: 'printed <b>7</b>',
    });
    const { points } = await get(`/v1/console/problems/${idOf('sum')}/posterior?target=model`);
    expect(points).toMatchObject([
      { evaluation: 1, passes: 2, bin: 'medium' },
      { evaluation: 2, passes: 7, bin: 'hard' },
    ]);
  });

  it('names those that were turned away for it', async () => {
    const cluster = await get(`/v1/console/problems/${idOf('sum')}/cluster`);
    expect(cluster).toMatchObject({ cluster_size: 2, members: [{ problem_id: idOf('twin'), value: 0.91 }] });
  });

  it('is found by a part of its title, by its record id and by the start of its id', async () => {
    for (const query of ['TITLE OF PROD', 'product', idOf('product').slice(0, 12)]) {
      const { problems } = await get(`/v1/problems?q=${encodeURIComponent(query)}`);
      expect(problems).toMatchObject([{ problem_id: idOf('product') }]);
    }
    expect((await get('/v1/problems?q=100%25_')).problems).toEqual([]);
    expect(await get('/v1/console/sources')).toEqual({ sources: ['acme'] });
  });

  it('keeps the newest groups alone', async () => {
    const groups = Array.from({ length: KEPT_GROUPS + 5 }, (_, index) => graded('product', index + 1, 4));
    await harness.publish(topics.rolloutsGraded, ...groups);
    await harness.untilQuiet();
    const kept = (await get(`/v1/console/problems/${idOf('product')}/attempts?target=model`)).groups as object[];
    expect(kept).toHaveLength(KEPT_GROUPS);
    expect(kept[0]).toMatchObject({ group_id: `product-${KEPT_GROUPS + 5}` });
  });
});

describe('a target', () => {
  it('shows its working set in rank order, page by page', async () => {
    const first = await get('/v1/console/targets/model/working-set?limit=1');
    expect(first.problems).toMatchObject([{ rank: 1, problem_id: idOf('sum'), interval: { low: 0.2, high: 0.6 } }]);
    const second = await get(`/v1/console/targets/model/working-set?limit=1&cursor=${String(first.next)}`);
    expect(second).toMatchObject({ problems: [{ rank: 2, problem_id: idOf('product') }], next: null });
    expect((await get('/v1/console/targets/model/working-set?bin=hard')).problems).toHaveLength(1);
  });

  it('shows moves with their reasons and bins over time', async () => {
    expect((await get('/v1/console/targets/model/moves')).moves).toMatchObject([
      { problem_id: idOf('sum'), from: 'medium', to: 'hard', reason: 'mass_exceeds_enter', title: 'Title of sum' },
    ]);
    expect((await get('/v1/console/targets/model/moves?to=easy')).moves).toEqual([]);
    expect((await get('/v1/console/targets/model/evaluations')).evaluations).toMatchObject([
      { number: 1, bins: { medium: 1 }, trigger: 'groups', checkpoint: 'step-1', moved: 1 },
      { number: 2, bins: { hard: 1 } },
    ]);
  });

  it('says which cursor it does not know, and which target', async () => {
    const { status: code, body } = await client.json('GET', '/v1/console/targets/model/moves?cursor=abc');
    expect([code, body.where]).toEqual([422, 'query.cursor']);
    expect((await client.json('GET', '/v1/console/targets/none/moves')).status).toBe(404);
  });
});

describe('what clients read', () => {
  it.each([
    ['/v1/status', statusSchema],
    ['/v1/submissions?source_file=set.jsonl', submissionsSchema],
    ['/v1/problems', problemsPageSchema],
    ['/v1/dead-letters', deadLettersPageSchema],
    ['/v1/benchmarks', benchmarksSchema],
    ['/v1/targets', targetsSchema],
    ['/v1/topics', topicsSchema],
  ] as const)('%s answers as the contract says', async (path, schema) => {
    expect(fitAnswer<ZodType>(schema, await get(path))).toBeDefined();
  });
});

describe('dead letters', () => {
  it('are counted by service and error', async () => {
    expect(await get('/v1/console/dead-letter-kinds')).toEqual({
      kinds: [{ service: 'normalize', error_code: 'unforeseen', records: 1, open: 1 }],
    });
  });
});

describe('the live stream', () => {
  it('tells at once where everything stands, and again when something has changed', async () => {
    const stop = new AbortController();
    const response = await fetch(`${harness.service.address}/v1/events`, { signal: stop.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = statusesOf(response);
    const first = await nextOf(events);
    await harness.publish(topics.problemsStatus, ...stopped('late', Stage.NORMALIZE, 'too_late'));
    let next = await nextOf(events);
    while (!JSON.stringify(next).includes('too_late')) next = await nextOf(events);
    expect(next.problems).toBe((first.problems as number) + 1);
    stop.abort();
  });

  it('costs nothing that nobody reads: a reader that left is forgotten', async () => {
    const live = harness.service.get(LiveStatus);
    const stop = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${harness.service.address}/v1/events`, { signal: stop.signal })),
    );
    expect(streams.every(({ status: code }) => code === 200)).toBe(true);
    expect(live.readerCount).toBeGreaterThanOrEqual(5);
    stop.abort();
    await expect.poll(() => live.readerCount, { timeout: 5_000 }).toBe(0);
  });

  it('keeps no reader that left before it was let in', async () => {
    const live = harness.service.get(LiveStatus);
    const left = new PassThrough();
    left.destroy();
    await once(left, 'close');
    live.add(left);
    expect(live.readerCount).toBe(0);
  });

  it('refuses one reader too many, with a word on what to do', async () => {
    const stop = new AbortController();
    const open = () => fetch(`${harness.service.address}/v1/events`, { signal: stop.signal });
    const codes = (await Promise.all(Array.from({ length: 105 }, open))).map(({ status: code }) => code);
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
    stop.abort();
    await expect.poll(() => harness.service.get(LiveStatus).readerCount, { timeout: 5_000 }).toBe(0);
  });
});

describe('with an access token', () => {
  let guarded: StageHarness;
  beforeAll(async () => {
    guarded = await startStage(gatewayService, {
      http: true,
      accessToken: 'token-of-sixteen',
      config: { consoleFolder: site },
    });
    await publishSmallStream(guarded);
    await guarded.untilQuiet();
  });
  afterAll(async () => {
    await guarded?.stop();
  });

  it('opens the page to a browser, and nothing that it shows', async () => {
    const bare = new TestClient(guarded);
    for (const path of ['/', '/assets/index-abc.js', '/problems', '/dead-letters']) {
      expect([path, (await bare.send('GET', path)).status]).toEqual([path, 200]);
    }
    for (const path of [
      '/v1/events',
      '/v1/status',
      '/v1/console/sources',
      `/v1/console/problems/${idOf('sum')}/tests`,
    ]) {
      expect([path, (await bare.send('GET', path)).status]).toEqual([path, 401]);
    }
    expect((await bare.send('POST', '/problems')).status).toBe(401);
  });

  it('quotes nothing of a problem that is not open: on its way anew, withdrawn, held out, or of unknown side', async () => {
    await publishQuotes(guarded);
    const quotesTo = async (reader: TestClient, name: string) => {
      const [story, texts] = await Promise.all(
        [`/v1/problems/${idOf(name)}`, `/v1/console/problems/${idOf(name)}/texts`].map(async (path) =>
          (await reader.send('GET', path)).text(),
        ),
      );
      return `${story}${texts}`.match(/QUOTE \w+ of [\w’ ]+/g) ?? [];
    };
    const bearer = new TestClient(guarded, { authorization: 'Bearer token-of-sixteen' });
    const all = [...new Set(await quotesTo(bearer, 'open'))].sort();
    expect(all).toEqual([
      'QUOTE evidence of open’s review',
      'QUOTE evidence of open’s status',
      'QUOTE note of open',
      'QUOTE text of open',
    ]);
    for (const name of ['anew', 'gone', 'exam', 'unknown'])
      expect([name, await quotesTo(bearer, name)]).toEqual([name, []]);
    await publishQuotes(harness);
    for (const name of ['anew', 'gone', 'exam', 'unknown'])
      expect(new Set(await quotesTo(client, name)).size).toBe(name === 'gone' ? 5 : 4);
  });

  it('withholds hidden tests, held-out statements and what programs printed', async () => {
    const bearer = new TestClient(guarded, { authorization: 'Bearer token-of-sixteen' });
    const texts: string[] = [];
    for (const name of ['sum', 'secret']) {
      for (const part of ['tests', 'texts', 'attempts?target=model', 'cluster', 'posterior?target=model']) {
        texts.push(await (await bearer.send('GET', `/v1/console/problems/${idOf(name)}/${part}`)).text());
      }
    }
    const all = texts.join('\n');
    expect(all).toContain('Add **two** numbers.');
    for (const hidden of ['hidden-input', 'hidden-output', 'Held out.', 'printed']) expect(all).not.toContain(hidden);
    expect(all).toContain('CONSOLE_REVIEW');
  });
});

/** Problems of which something is quoted: open, on its way anew, withdrawn, held out, and of unknown side. */
async function publishQuotes(to: StageHarness): Promise<void> {
  const statement = (name: string) => payloadOf(`QUOTE text of ${name}`);
  const split = { open: Split.TRAIN, anew: Split.TRAIN, gone: Split.TRAIN, exam: Split.HELD_OUT, unknown: undefined };
  const notes = (name: string) => [{ code: 'removed_html', count: 2, detail: `QUOTE note of ${name}` }];
  const evidence = (name: string) => [{ kind: 'looks_odd', text: `QUOTE evidence of ${name}` }];
  for (const [name, side] of Object.entries(split)) {
    const newest = { problemId: idOf(name), version: name === 'anew' ? 2 : 1 };
    const content = { title: `Title of ${name}`, statement: statement(name) };
    await to.publish(topics.problemsRaw, create(ProblemRawSchema, { ...newest, content }));
    await to.publish(
      topics.problemsNormalized,
      create(ProblemNormalizedSchema, { ...newest, content, notes: notes(name) }),
    );
    if (side !== undefined)
      await to.publish(
        topics.problemsUnique,
        create(ProblemUniqueSchema, { problemId: idOf(name), version: 1, split: side }),
      );
    await to.publish(
      topics.problemsStatus,
      status(name, Stage.NORMALIZE, { ...newest, evidence: evidence(`${name}’s status`) }),
    );
    await to.publish(
      topics.reviewsRequested,
      create(ReviewRequestedSchema, {
        ...newest,
        reviewId: `review-${name}`,
        stage: Stage.NORMALIZE,
        evidence: evidence(`${name}’s review`),
      }),
    );
  }
  await to.publish(
    topics.problemsWithdrawn,
    create(ProblemWithdrawnSchema, {
      problemId: idOf('gone'),
      version: 1,
      stage: Stage.NORMALIZE,
      reason: 'formula_lost',
      evidence: evidence('gone’s withdrawal'),
    }),
  );
  await to.untilQuiet();
}

/** A GET whose Host header is not what the address says, which `fetch` would not send. */
function rawGet(address: string, path: string, host: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}

async function* statusesOf(response: Response): AsyncGenerator<Record<string, unknown>> {
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^event: status\ndata: (.*)$/.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as Record<string, unknown>;
    }
  }
}

async function nextOf(events: AsyncGenerator<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const { value, done } = await events.next();
  if (done === true) throw new Error('the stream ended');
  return value;
}
