import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { groupIdOf, problemIdOf, sha256Hex, verifySubmitterMac } from '@tidemark/identity';
import { packFiles } from '@tidemark/packages';
import { ProblemWithdrawnSchema, Stage } from '@tidemark/proto';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from './index.ts';
import { parseLines, TestClient } from './testing/client.ts';
import { publishReady, stopped } from './testing/console-events.ts';

const SECRET = 'a secret for specs';
let harness: StageHarness;
let client: TestClient;

beforeAll(async () => {
  const config = { macSecret: SECRET, maxUploadBytes: '60000', maxRecordBytes: '20000' };
  harness = await startStage(gatewayService, { http: true, config });
  client = new TestClient(harness);
});
afterAll(async () => {
  await harness?.stop();
});

const record = (id: string, extra: object = {}) =>
  JSON.stringify({ format: 'tidemark.problem.v1', namespace: 'acme', id, statement: 'x', ...extra });

describe('offering problems', () => {
  it('answers each line: accepted with ids, or refused with what to do', async () => {
    const lines = [record('a'), '', '{"broken', record('b'), '[]'].join('\n');
    const answers = await client.upload('/v1/problems?source_file=set.jsonl&licence=MIT', lines);
    expect(answers).toMatchObject([
      { outcome: 'accepted', line: 1, problem_id: problemIdOf('acme', 'a') },
      { outcome: 'refused', line: 3, code: 'invalid_json' },
      { outcome: 'accepted', line: 4, problem_id: problemIdOf('acme', 'b') },
      { outcome: 'refused', line: 5, code: 'invalid_json' },
      { outcome: 'summary', records: 4, accepted: 2, refused: 2, repeated: false },
    ]);
    expect(answers[1]).toHaveProperty('do');
    await harness.untilQuiet();
    const published = await harness.published(topics.problemsIntake);
    const offered = published.filter(({ value }) => value?.submitter?.sourceFile === 'set.jsonl');
    expect(new Set(offered.map(({ id }) => id))).toEqual(new Set([answers[0]?.event_id, answers[2]?.event_id]));
    const first = offered.find(({ value }) => value?.submitter?.sourceRecord === 1n)?.value;
    expect(first).toMatchObject({ licence: 'MIT', submitter: { name: 'local', trustedToGrade: false } });
    const payload = first?.record?.inline ?? new Uint8Array();
    expect(new TextDecoder().decode(payload)).toBe(record('a'));
    const mac = first?.submitter?.gatewayMac ?? new Uint8Array();
    expect(verifySubmitterMac(SECRET, { submitter: 'local', trustedToGrade: false, payload }, mac)).toBe(true);
  });

  it('refuses at once what ingest could not read, each fault with its field and what to do', async () => {
    const lines = [
      record('no-statement', { statement: undefined }),
      record('wrong-type', { statement: 7 }),
      record('bad-checker', { tests: { form: 'stdin', cases: [] }, checker: { kind: 'no-such' } }),
      record('unknown-format', { format: 'no.such.v1' }),
      record('twice').replace('"statement"', '"id":"other","statement"'),
      record('nul', { statement: 'a\0b' }),
      record('two-faults', { statement: 7, language: 8 }),
      record('good', { note: 'not known' }),
    ];
    const answers = await client.upload('/v1/problems?source_file=faulty.jsonl', lines.join('\n'));
    expect(answers).toMatchObject([
      { outcome: 'refused', line: 1, field: 'statement', code: 'missing_field', reason: 'is missing' },
      { outcome: 'refused', line: 2, field: 'statement', code: 'wrong_type' },
      { outcome: 'refused', line: 3, field: 'checker.kind', code: 'bad_value' },
      { outcome: 'refused', line: 4, field: 'format', code: 'unknown_format' },
      { outcome: 'refused', line: 5, field: 'id', code: 'duplicate_key' },
      { outcome: 'refused', line: 6, field: 'statement', code: 'bad_character' },
      { outcome: 'refused', line: 7, field: 'statement', more: [{ field: 'language', code: 'wrong_type' }] },
      { outcome: 'accepted', line: 8, warnings: [{ code: 'unknown_field', field: 'note' }] },
      { outcome: 'summary', accepted: 1, refused: 7 },
    ]);
    for (const refused of answers.slice(0, 7)) expect(refused.do).toMatch(/\.$/);
    await harness.untilQuiet();
    const offered = (await harness.published(topics.problemsIntake)).filter(
      ({ value }) => value?.submitter?.sourceFile === 'faulty.jsonl',
    );
    expect(offered).toHaveLength(1);
    const { body } = await client.json('GET', '/v1/submissions?source_file=faulty.jsonl&line=1');
    expect(body.refused).toMatchObject([{ line: 1, kind: 'problems', faults: [{ field: 'statement' }] }]);
  });

  it('changes nothing when a file is sent again, under its own name or another', async () => {
    const lines = `${record('resent')}\n${record('resent-faulty', { statement: 7 })}\n`;
    const refused = async () => ((await client.json('GET', '/v1/status')).body.intake as Refused).problems_refused;
    await client.upload('/v1/problems?source_file=first.jsonl', lines);
    const before = await refused();
    await client.upload('/v1/problems?source_file=first.jsonl', lines);
    await client.upload('/v1/problems?source_file=first.jsonl.gz', lines);
    // The mended part of a file comes with what was refused before.
    await client.upload('/v1/problems?source_file=mended.jsonl', `${record('mended')}\n${lines}`);
    expect(await refused()).toBe(before);
    for (const name of ['first.jsonl', 'first.jsonl.gz']) {
      const { body } = await client.json('GET', `/v1/submissions?source_file=${name}`);
      expect(body.refused).toMatchObject([{ line: 2 }]);
    }
  });

  it('gives a repeated upload the same event ids, and says that it is one', async () => {
    const first = await client.upload('/v1/problems', record('again'));
    const second = await client.upload('/v1/problems', record('again'));
    expect(second[0]).toEqual(first[0]);
    expect(second[1]).toMatchObject({ repeated: true });
  });

  it('takes uploads with different keys for different, and refuses a key for another content', async () => {
    const key = (value: string) => ({ 'idempotency-key': value });
    const one = await client.upload('/v1/problems', record('keyed'), key('one'));
    const two = await client.upload('/v1/problems', record('keyed'), key('two'));
    expect(one[0]?.event_id).not.toBe(two[0]?.event_id);
    const reused = await client.send('POST', '/v1/problems', record('other'), {
      'content-type': 'application/x-ndjson',
      ...key('one'),
    });
    expect(reused.status).toBe(409);
    expect(await reused.json()).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('takes one JSON object over several lines, and says why not by status', async () => {
    const pretty = JSON.stringify(JSON.parse(record('pretty')), null, 2);
    const good = await client.send('POST', '/v1/problems', pretty, { 'content-type': 'application/json' });
    expect(good.status).toBe(202);
    expect(await good.json()).toMatchObject({ problem_id: problemIdOf('acme', 'pretty') });
    const bad = await client.send('POST', '/v1/problems', '{', { 'content-type': 'application/json' });
    expect(bad.status).toBe(422);
    expect(bad.headers.get('content-type')).toContain('application/problem+json');
    expect(await bad.json()).toMatchObject({ status: 422, why: expect.stringContaining('JSON') as string });
    const faulty = record('faulty', { statement: 7 });
    const unreadable = await client.send('POST', '/v1/problems', faulty, { 'content-type': 'application/json' });
    expect(await unreadable.json()).toMatchObject({ status: 422, where: 'body.statement' });
  });

  it('puts large records into the blob store, and refuses what is too large', async () => {
    const large = record('large', { statement: 'y'.repeat(10_000) });
    const huge = record('huge', { statement: 'z'.repeat(21_000) });
    const answers = await client.upload('/v1/problems?source_file=large', `${large}\n${huge}\n${record('small')}\n`);
    expect(answers).toMatchObject([
      { outcome: 'accepted' },
      { code: 'too_large', line: 2 },
      { outcome: 'accepted' },
      {},
    ]);
    await harness.untilQuiet();
    const [stored] = (await harness.published(topics.problemsIntake)).filter(
      ({ value }) => value?.submitter?.sourceFile === 'large' && value.submitter.sourceRecord === 1n,
    );
    expect(stored?.value?.record?.sizeBytes).toBe(BigInt(large.length));
    expect(stored?.value?.record?.inline).toBeUndefined();
  });

  it('refuses an upload above the limit with 413, announced or not', async () => {
    const body = `${record('x', { statement: 'w'.repeat(9_000) })}\n`.repeat(8);
    const announced = await client.send('POST', '/v1/problems', body, { 'content-type': 'application/x-ndjson' });
    expect(announced.status).toBe(413);
    const zipped = await client.send('POST', '/v1/problems', gzipSync(body), {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
    expect(zipped.status).toBe(413);
    expect(await zipped.json()).toMatchObject({ code: 'too_large', do: expect.any(String) as string });
  });

  it('takes gzip, and says when it is none', async () => {
    const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' };
    const good = await client.send('POST', '/v1/problems', gzipSync(record('zipped')), headers);
    expect(await good.text()).toContain(problemIdOf('acme', 'zipped'));
    const bad = await client.send('POST', '/v1/problems', record('zipped'), headers);
    expect([bad.status, ((await bad.json()) as { code: string }).code]).toEqual([400, 'invalid_gzip']);
    const unknown = await client.send('POST', '/v1/problems', 'x', { ...headers, 'content-encoding': 'br' });
    expect(unknown.status).toBe(415);
  });

  it('spools what is larger than memory should hold, and takes it whole', async () => {
    const lines = Array.from({ length: 400 }, (_, index) => record(`many-${index}`, { statement: 'v'.repeat(5_000) }));
    const large = await startStage(gatewayService, { http: true });
    try {
      const answers = await new TestClient(large).upload('/v1/problems', lines.join('\n'));
      expect(answers).toHaveLength(401);
      expect(answers.at(-1)).toMatchObject({ accepted: 400, sha256: sha256Hex(lines.join('\n')) });
      await large.untilQuiet();
      expect(await large.published(topics.problemsIntake)).toHaveLength(400);
    } finally {
      await large.stop();
    }
  });

  it('forgets an upload whose sender goes away, and gives its place free', async () => {
    const before = (await harness.published(topics.problemsIntake)).length;
    for (let times = 0; times < 10; times++) await breakOff(harness.service.address ?? '');
    const answers = await client.upload('/v1/problems', record('after'));
    expect(answers.at(-1)).toMatchObject({ accepted: 1 });
    await harness.untilQuiet();
    expect((await harness.published(topics.problemsIntake)).length).toBe(before + 1);
  });

  it('refuses settings that can not be, by name', async () => {
    const response = await client.send('POST', '/v1/problems?origin=invented', record('a'));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ where: 'query.origin' });
  });
});

interface Refused {
  readonly problems_refused: number;
}

/** Announces more than it sends, and hangs up. */
async function breakOff(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`POST /v1/problems HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 5000\r\n\r\n${record('gone')}\n`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.destroy();
  await once(socket, 'close');
}

const group = (extra: object = {}) =>
  JSON.stringify({
    ...{ format: 'tidemark.rollouts.v1', target: 'model', checkpoint: 'base', problem: problemIdOf('acme', 'a') },
    ...{ attempts: [{ output: 'print(1)' }] },
    ...extra,
  });

describe('offering a problem package', () => {
  const sum: Readonly<Record<string, string>> = {
    'problem.yaml': 'name: Sum\nsource: A contest\n',
    '.timelimit': '2',
    'problem_statement/problem.en.tex': 'Add.',
    'data/secret/1.in': '1 2',
    'data/secret/1.ans': '3',
    'data/secret/2.ans': '5',
    'submissions/accepted/a.py': 'print(sum(map(int, input().split())))',
  };
  const packed = (changed: Readonly<Record<string, string>> = {}) => {
    const files = Object.entries({ ...sum, ...changed }).map(([path, text]) => [path, Buffer.from(text)] as const);
    return packFiles({ name: 'sum', files: new Map(files) });
  };
  const send = async (query: string, body: Uint8Array) =>
    client.send('POST', `/v1/problems?${query}`, body, { 'content-type': 'application/gzip' });

  it('takes it as the one record that it holds, and says what was left out', async () => {
    const query = 'source_file=sum.tgz&missing_tests=allow';
    const answers = parseLines(await (await send(query, await packed())).text());
    expect(answers).toMatchObject([
      { outcome: 'accepted', line: 1, problem_id: problemIdOf('A contest', 'sum'), warnings: [{ field: 'data' }] },
      { outcome: 'summary', records: 1, accepted: 1, refused: 0, repeated: false },
    ]);
    const again = parseLines(await (await send(query, await packed())).text());
    expect(again.at(-1)).toMatchObject({ repeated: true });
    await harness.untilQuiet();
    const offered = (await harness.published(topics.problemsIntake)).filter(
      ({ value }) => value?.submitter?.sourceFile === 'sum.tgz',
    );
    const payload = JSON.parse(new TextDecoder().decode(offered[0]?.value?.record?.inline));
    expect(payload).toMatchObject({
      format: 'tidemark.problem.v1',
      title: 'Sum',
      tests: { cases: [{ name: 'secret/1' }] },
    });
  });

  it('refuses what is not read, with the place and what to do', async () => {
    const missing = await send('', await packed());
    expect(missing.status).toBe(422);
    expect(await missing.json()).toMatchObject({ where: 'data/secret/2.in' });
    const interactive = await send('', await packed({ 'problem.yaml': 'source: s\ntype: interactive' }));
    expect(await interactive.json()).toMatchObject({
      where: 'problem.yaml',
      why: 'says that the problem is interactive (unsupported)',
    });
    const nothing = await send('', Buffer.from('PK nothing'));
    expect(await nothing.json()).toMatchObject({ where: 'package', why: 'is no archive (invalid_archive)' });
    const bomb = await packed({ 'data/secret/2.in': 'x'.repeat(40_000_000) });
    expect(bomb.length).toBeLessThan(60_000);
    expect(await (await send('', bomb)).json()).toMatchObject({ why: expect.stringMatching(/too_large/) });
  });
});

describe('reporting rollouts', () => {
  it('names the file behind groups without an id, and the group of those with one', async () => {
    const answers = await client.upload(
      '/v1/rollouts?source_file=r.jsonl',
      [group({ group: 'g-1' }), group()].join('\n'),
    );
    expect(answers).toMatchObject([
      { outcome: 'accepted', group: 'g-1', problem_id: problemIdOf('acme', 'a') },
      { outcome: 'accepted', group: groupIdOf(String(answers[2]?.sha256), 2, 0) },
      { accepted: 2 },
    ]);
    await harness.untilQuiet();
    const published = await harness.published(topics.rolloutsIntake);
    expect(published).toHaveLength(2);
    expect(published[0]?.value?.fileSha256).toBe(answers[2]?.sha256);
  });

  it('lets two equal uploads with different keys be two groups', async () => {
    const before = (await harness.published(topics.rolloutsIntake)).length;
    await client.upload('/v1/rollouts', group(), { 'idempotency-key': 'step-1' });
    await client.upload('/v1/rollouts', group(), { 'idempotency-key': 'step-2' });
    await harness.untilQuiet();
    const hashes = (await harness.published(topics.rolloutsIntake)).map(({ value }) => value?.fileSha256);
    expect(hashes).toHaveLength(before + 2);
    expect(new Set(hashes).size).toBe(3);
  });

  it('refuses at once what could never count: a bad purpose, no attempts, verdicts of one who is not trusted', async () => {
    const lines = [
      group({ purpose: 'fun' }),
      group({ attempts: [] }),
      group({ attempts: [{ verdict: 'accepted' }] }),
      group({ problem: 'nonsense' }),
    ];
    expect(await client.upload('/v1/rollouts', lines.join('\n'))).toMatchObject([
      { outcome: 'refused', line: 1, field: 'purpose', code: 'bad_value' },
      { outcome: 'refused', line: 2, field: 'attempts', code: 'bad_value' },
      { outcome: 'refused', line: 3, field: 'attempts[0].output', code: 'untrusted_grade' },
      { outcome: 'refused', line: 4, field: 'problem', code: 'bad_value' },
      { outcome: 'summary', accepted: 0, refused: 4 },
    ]);
  });

  it('says at once, and where it is asked for later, that attempts at a problem do not count, and which to attempt', async () => {
    const [copy, replaced, bad] = ['copy', 'replaced', 'bad'].map((name) => problemIdOf('acme', name));
    const original = problemIdOf('acme', 'original');
    await harness.publish(
      topics.problemsStatus,
      ...stopped('copy', Stage.DEDUP, 'exact_duplicate', {
        evidence: [{ kind: 'duplicate_of', subjectId: original }],
      }),
      ...stopped('bad', Stage.EXECUTE, 'reference_failed'),
    );
    await publishReady(harness, 'replaced', { original: 'One.', cleaned: 'One.' });
    await harness.publish(
      topics.problemsWithdrawn,
      create(ProblemWithdrawnSchema, {
        problemId: replaced ?? '',
        version: 1,
        stage: Stage.DEDUP,
        reason: 'exact_duplicate',
        successorId: original,
      }),
    );
    await harness.untilQuiet();
    const lines = [copy, replaced, bad].map((problem) => group({ problem }));
    const answers = await client.upload('/v1/rollouts?source_file=away.jsonl', lines.join('\n'));
    const turnedAway = [
      { stage: 'dedup', reason: 'exact_duplicate', instead: original },
      { stage: 'dedup', reason: 'exact_duplicate', instead: original },
      { stage: 'execute', reason: 'reference_failed' },
    ];
    expect(answers.slice(0, 3).map(({ turned_away }) => turned_away)).toEqual(turnedAway);
    const { body } = await client.json('GET', '/v1/submissions?source_file=away.jsonl');
    expect((body.groups as { turned_away: object }[]).map(({ turned_away }) => turned_away)).toEqual(turnedAway);
  });

  it('says what a group will wait for, and finds it by its line', async () => {
    await client.json('PUT', '/v1/targets/declared', { checkpoint: 'base' });
    const lines = [group(), group({ target: 'declared', checkpoint: 'later' }), group({ target: 'declared' })];
    const answers = await client.upload('/v1/rollouts?source_file=wait.jsonl', lines.join('\n'));
    const missing = [
      { kind: 'target', name: 'model' },
      { kind: 'checkpoint', name: 'later of declared' },
      { kind: 'problem', name: problemIdOf('acme', 'a') },
    ];
    expect(answers.slice(0, 3).map(({ waits_for }) => waits_for)).toEqual(missing);
    const upload = String(answers[3]?.upload);
    for (const query of ['source_file=wait.jsonl', `upload=${upload}&failed=true`]) {
      const { body } = await client.json('GET', `/v1/submissions?${query}`);
      expect(body.groups).toMatchObject(
        missing.map((waits_for, index) => ({ line: index + 1, state: 'waiting', waits_for })),
      );
    }
  });
});

describe('taking a record back', () => {
  it('goes to ingest as a withdrawal', async () => {
    const { status, body } = await client.json('POST', '/v1/problems/withdraw', { namespace: 'acme', record_id: 'a' });
    expect([status, body.problem_id]).toEqual([202, problemIdOf('acme', 'a')]);
    await harness.untilQuiet();
    const events = await harness.published(topics.problemsIntake);
    const withdrawal = events.find(({ id }) => id === body.event_id)?.value;
    expect(withdrawal).toMatchObject({ withdraw: true, namespace: 'acme', recordId: 'a' });
  });

  it('names the field that is missing', async () => {
    const { status, body } = await client.json('POST', '/v1/problems/withdraw', { namespace: 'acme' });
    expect([status, body.where]).toEqual([422, 'body.record_id']);
  });
});

describe('order', () => {
  it('keys what is said of one record by its problem, so that versions and withdrawals stay in order', async () => {
    const versions = ['one', 'two', 'three'].map((statement) => record('quick', { statement })).join('\n');
    await client.upload('/v1/problems?source_file=quick', `${versions}\n${record('other')}`);
    await client.json('POST', '/v1/problems/withdraw', { namespace: 'acme', record_id: 'quick' });
    await harness.untilQuiet();
    const keys = (await harness.published(topics.problemsIntake))
      .filter(({ value }) => value?.submitter?.sourceFile === 'quick' || value?.recordId === 'quick')
      .map(({ key }) => key)
      .sort();
    const [quick, other] = [problemIdOf('acme', 'quick'), problemIdOf('acme', 'other')];
    expect(keys).toEqual([quick, quick, quick, quick, other].sort());

    await client.upload('/v1/rollouts', group({ problem: quick }));
    await harness.untilQuiet();
    expect((await harness.published(topics.rolloutsIntake)).map(({ key }) => key)).toContain(quick);
  });
});
