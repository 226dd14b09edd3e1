import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { curatedTopic, serviceNames, topics } from '@tidemark/event-log';
import { problemIdOf, sha256Hex } from '@tidemark/identity';
import {
  Bin,
  CommandCompletedSchema,
  CommandOutcome,
  CuratedProblemSchema,
  DeadLetterSchema,
  ProblemRawSchema,
  ProblemStatusSchema,
  Stage,
  StageOutcome,
} from '@tidemark/proto';
import { deadLetters, ordersSpec } from '@tidemark/stage-runtime';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService, ServiceDirectory } from './index.ts';
import { registerIdleServices } from './testing/idle-services.ts';
import { parseLines } from './testing/client.ts';
import { idOf, publishReady } from './testing/console-events.ts';

/** The command line's own program, built, against a gateway: what a user types, and what comes back. */
const root = resolve(import.meta.dirname, '../../..');
const program = join(root, 'clients/cli/dist/main.js');
const TOKEN = 'token-of-the-specs';
let harness: StageHarness;
let folder: string;

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', join(root, 'clients/cli')]);
  folder = await mkdtemp(join(tmpdir(), 'tidemark-cli-'));
  harness = await startStage(gatewayService, { http: true, accessToken: TOKEN, config: { consoleReview: 'true' } });
  registerIdleServices(harness.service.get(ServiceDirectory));
});
afterAll(async () => {
  await harness?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { ...process.env, TIDEMARK_URL: harness.service.address, TIDEMARK_ACCESS_TOKEN: TOKEN, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function tidemark(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Ended> {
  const child = start(args, env);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin?.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const record = (id: string) => JSON.stringify({ format: 'tidemark.problem.v1', namespace: 'acme', id, statement: 'x' });

describe('usage', () => {
  it('ends with 0 for help and version, and 2 for what it does not understand', async () => {
    expect((await tidemark(['--help'])).code).toBe(0);
    expect(await tidemark(['--version'])).toMatchObject({ code: 0, out: '0.1.0\n' });
    for (const args of [
      ['nonsense'],
      ['ingest'],
      ['curated', 'x', '--bin', 'nothing'],
      ['status', '--nope'],
      ['explain'],
      ['batch', 'model', '--count', '0'],
      ['batch', 'No Slug'],
      ['target', 'declare', 'No Slug'],
      ['target', 'declare', 'model', '--settings', join(folder, 'missing.json')],
    ]) {
      const { code, out, err } = await tidemark(args);
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).not.toBe('');
    }
  });

  it('ends with 1 and says what to do when no gateway answers, or wants a token', async () => {
    const away = await tidemark(['status'], { TIDEMARK_URL: 'http://127.0.0.1:9' });
    expect(away.code).toBe(1);
    expect(away.err).toContain('tidemark start');
    const stranger = await tidemark(['status'], { TIDEMARK_ACCESS_TOKEN: 'a-token-that-is-wrong' });
    expect(stranger.code).toBe(1);
    expect(stranger.err).toContain('Check the token');
  });
});

describe('ingest', () => {
  it('takes files, names what it refuses by file and line, and ends with 3', async () => {
    const path = await file('mixed.jsonl', `${record('a')}\n{"oops"\n${record('b')}\n`);
    const { code, out, err } = await tidemark(['ingest', path]);
    expect(code).toBe(3);
    expect(out).toBe('mixed.jsonl: 2 problems taken, 1 refused\n');
    expect(err).toContain('mixed.jsonl:2: the record is not JSON');
  });

  it('reads gzip and standard input, and gives NDJSON to programs', async () => {
    const path = await file('packed.jsonl.gz', gzipSync(`${record('c')}\n`));
    const packed = await tidemark(['ingest', path, '--json']);
    expect(packed).toMatchObject({ code: 0, err: '' });
    expect(parseLines(packed.out)).toMatchObject([
      { file: 'packed.jsonl.gz', outcome: 'accepted', problem_id: problemIdOf('acme', 'c') },
      { outcome: 'summary', accepted: 1 },
    ]);
    const piped = await tidemark(['ingest', '-'], {}, `${record('d')}\n`);
    expect(piped).toMatchObject({ code: 0, out: 'stdin: 1 problem taken\n' });
  });

  it('says of a gzip that it is cut off, or none, and blames no gateway', async () => {
    const cut = await file('cut.jsonl.gz', gzipSync(`${record('x')}\n`.repeat(50)).subarray(0, 60));
    const broken = await tidemark(['ingest', cut]);
    expect(broken).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('cut.jsonl.gz is cut off') as string,
    });
    expect(broken.err).not.toContain('gateway');
    const plain = await file('plain.jsonl.gz', `${record('x')}\n`);
    const none = await tidemark(['ingest', plain]);
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringMatching(/plain\.jsonl\.gz is named .gz and is not gzip.*\n$/),
    ]);
  });

  it('tells with --wait what did not come through, and finds a line without a name by its file', async () => {
    const nameless = JSON.stringify({ format: 'tidemark.problem.v1', statement: 'x' });
    const path = await file('judged.jsonl', `${record('judged')}\n${nameless}\n`);
    await harness.publish(
      topics.problemsStatus,
      create(ProblemStatusSchema, {
        ...{ problemId: problemIdOf('acme', 'judged'), version: 1, stage: Stage.DEDUP },
        ...{ outcome: StageOutcome.REJECTED, reason: 'exact_duplicate', message: 'Another says the same.' },
      }),
    );
    const sent = await tidemark(['ingest', path, '--wait']);
    expect(sent.code).toBe(3);
    expect(sent.err).toContain('judged.jsonl:1: rejected by dedup: exact duplicate. Another says the same.');
    expect(sent.err).toContain('judged.jsonl:2: namespace is missing. Add it');
    const listed = (await tidemark(['problems', '--file', path])).out;
    expect(listed).toContain(problemIdOf('acme', 'judged'));
    expect(listed).toContain('refused at the door: namespace is missing.');
    expect((await tidemark(['explain', '--file', path, '--line', '1'])).out).toContain('exact duplicate');
    expect((await tidemark(['explain', '--file', 'judged.jsonl', '--line', '2'])).out).toContain(
      'namespace is missing',
    );
    expect((await tidemark(['explain', '--file', 'judged.jsonl', '--line', '3'])).code).toBe(1);
    expect((await tidemark(['explain', 'zzz'])).code).toBe(2);
  });

  it('goes on after a file that is not there, and ends with 1 when nothing was taken', async () => {
    const path = await file('good.jsonl', `${record('e')}\n`);
    expect((await tidemark(['ingest', join(folder, 'missing'), path])).code).toBe(3);
    const alone = await tidemark(['ingest', join(folder, 'missing')]);
    expect(alone.code).toBe(1);
    expect(alone.err).toBe(`tidemark: ${join(folder, 'missing')} is not there\n`);
    expect((await tidemark(['ingest', folder])).err).toMatch(
      /is no problem package: none of its \d+ files is problem\.yaml/,
    );
  });

  it('reports rollouts in the same way', async () => {
    const group = { format: 'tidemark.rollouts.v1', target: 'nobody', checkpoint: 'base', problem: '0'.repeat(32) };
    const lines = [
      { ...group, attempts: [{ output: 'x' }] },
      { ...group, attempts: [] },
    ];
    const path = await file('groups.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const sent = await tidemark(['rollouts', 'submit', path, '--wait']);
    expect(sent).toMatchObject({ code: 3, out: 'groups.jsonl: 1 group taken, 1 refused\n' });
    expect(sent.err).toContain('groups.jsonl:2: attempts has to have at least 1 entry.');
    expect(sent.err).toContain('target nobody is not declared: tidemark target declare nobody (1 record)');
    expect(sent.err).toMatch(/groups\.jsonl:1: group \w+ waits: target nobody is not declared/);
  });
});

describe('targets', () => {
  it('are declared, listed, and advanced', async () => {
    const template = await file('template.txt', '{{statement}}');
    const args = ['target', 'declare', 'model', '--template', template, '--stop', '\\ndef', '--temperature', '0.2'];
    expect((await tidemark(args)).out).toBe('model: declared (version 1, checkpoint base)\n');
    expect((await tidemark(args)).out).toContain('in force already');
    const [listed] = parseLines((await tidemark(['target', 'list', '--json'])).out);
    expect(listed?.settings).toMatchObject({
      prompt_template: '{{statement}}',
      sampling: { temperature: 0.2, stop_sequences: ['\ndef'] },
    });
    expect((await tidemark(['checkpoint', 'advance', 'model', 'step-10'])).out).toContain('number 1 of the line');
    expect((await tidemark(['checkpoint', 'advance', 'nobody', 'x'])).code).toBe(1);
    const bad = await tidemark(['target', 'declare', 'model', '--group-size', '0']);
    expect([bad.code, bad.err]).toEqual([1, expect.stringContaining('body.group_size') as string]);
  });

  it('are evaluated, and the command line waits for the end', async () => {
    const answer = async (outcome: CommandOutcome) => {
      for (;;) {
        const known = await harness.query<{ command_id: string }>(
          'SELECT command_id FROM command WHERE completed_at IS NULL',
        );
        const commandId = known[0]?.command_id;
        if (commandId !== undefined) {
          const done = create(CommandCompletedSchema, {
            commandId,
            service: 'calibrate',
            outcome,
            message: 'evaluation 1',
          });
          await harness.publish(topics.commandsCompleted, done);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const [done] = await Promise.all([tidemark(['evaluate', 'model']), answer(CommandOutcome.DONE)]);
    expect(done).toMatchObject({ code: 0, out: 'evaluation 1\n' });
    const [failed] = await Promise.all([tidemark(['measure', 'model']), answer(CommandOutcome.REFUSED)]);
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('refused') as string });
  });
});

describe('what became of it', () => {
  it('is shown as a funnel, a list and a story', async () => {
    const status = (stage: Stage, outcome: StageOutcome, reason = '') =>
      create(ProblemStatusSchema, {
        problemId: problemIdOf('acme', 'told'),
        version: 1,
        stage,
        outcome,
        reason,
        message: reason === '' ? '' : 'It has neither tests nor a reference.',
        title: 'Told',
        origin: { namespace: 'acme', recordId: 'told' },
      });
    await harness.publish(
      topics.problemsStatus,
      status(Stage.INGEST, StageOutcome.PASSED),
      status(Stage.NORMALIZE, StageOutcome.REJECTED, 'no_tests'),
    );
    await harness.untilQuiet();
    const shown = await tidemark(['status', '--wait']);
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toContain('  no tests (normalize)            1');
    expect(shown.out).toContain('All is quiet');
    expect(parseLines((await tidemark(['status', '--json'])).out)[0]).toMatchObject({ quiet: true, problems: 2 });
    expect((await tidemark(['problems', '--state', 'rejected'])).out).toContain('acme told');
    const story = await tidemark(['explain', '--namespace', 'acme', '--id', 'told']);
    expect(story).toMatchObject({ code: 0, err: '' });
    expect(story.out).toContain('Rejected by normalize: no tests.');
    expect(story.out).toContain('It has neither tests nor a reference.');
    const unknown = await tidemark(['explain', '0'.repeat(32)]);
    expect(unknown.code).toBe(1);
    expect(parseLines((await tidemark(['explain', problemIdOf('acme', 'told'), '--json'])).out)).toHaveLength(1);
  });

  it('ends with 130 when it is interrupted', async () => {
    const child = start(['status', '--watch']);
    child.stdin?.end();
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });
});

describe('a working set', () => {
  const inSet = (index: number) =>
    create(CuratedProblemSchema, {
      problemId: problemIdOf('acme', `set-${index}`),
      target: 'model',
      bin: Bin.MEDIUM,
      value: index,
      title: `Problem ${index}`,
      statement: { sha256: sha256Hex('S'), sizeBytes: 1n, inline: new TextEncoder().encode('S') },
      facets: { filler: 'f'.repeat(1_000) },
    });

  it('is listed for people, and whole for programs', async () => {
    const topic = curatedTopic('model');
    const settings = { partitions: 2, cleanup: 'compact', retentionMs: 86_400_000, logAppendTime: false } as const;
    await harness.log.admin.ensureTopics([{ name: topic.name, ...settings }]);
    await harness.publish(topic, ...Array.from({ length: 400 }, (_, index) => inSet(index)));
    await harness.untilQuiet();
    const { out } = await tidemark(['curated', 'model', '--limit', '2']);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^rank {2}bin .*title$/) as string,
      expect.stringMatching(/ {3}1 {2}medium .*Problem 399$/) as string,
      expect.stringMatching(/ {3}2 {2}medium .*Problem 398$/) as string,
      '',
    ]);
    const whole = parseLines((await tidemark(['curated', 'model', '--json'])).out);
    expect(whole).toHaveLength(400);
    expect(whole[0]).toMatchObject({ statement: 'S', rank: 1 });
    expect((await tidemark(['curated', 'model', '--bin', 'hard'])).out).toContain('Nothing is curated');
  });

  it('may be read by one who soon has enough', async () => {
    const child = start(['curated', 'model', '--json']);
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdin?.end();
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.stdout?.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(err).toBe('');
  });
});

describe('dead letters', () => {
  const letters = deadLetters(topics.problemsRaw.name, 'normalize');
  const letter = (id: string, errorCode: string, errorMessage = 'nobody foresaw this') =>
    create(DeadLetterSchema, {
      ...{ topic: topics.problemsRaw.name, service: 'normalize', errorCode, errorMessage, attempts: 2 },
      key: Buffer.from(id),
      value: toBinary(
        ProblemRawSchema,
        create(ProblemRawSchema, {
          problemId: id,
          original: { sha256: 'a'.repeat(64), inline: Buffer.from('a hidden test') },
        }),
      ),
    });

  it('are listed, shown without what they hold, replayed and dropped', async () => {
    const [good, odd, poor] = ['aa', 'bb', 'cc'].map((pair) => pair.repeat(16));
    await harness.log.admin.ensureTopics([ordersSpec('normalize')]);
    await harness.publish(
      letters,
      letter(good ?? '', 'unexpected'),
      letter(odd ?? '', 'poison', 'moves\u001b[2J the cursor'),
      letter(poor ?? '', 'useless'),
    );
    await harness.untilQuiet();
    const listed = parseLines((await tidemark(['dlq', 'list', '--json'])).out);
    const idOf = (code: string) => String(listed.find(({ error_code }) => error_code === code)?.id);
    expect(listed.map(({ error_code }) => error_code).sort()).toEqual(['poison', 'unexpected', 'useless']);
    expect((await tidemark(['dlq', 'list', '--code', 'poison'])).out).toContain('poison');
    const id = idOf('poison');
    const shown = await tidemark(['dlq', 'show', id]);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('normalize could not take a record of problems.raw.v1: poison');
    expect(shown.out).toContain(`"problemId": "${odd}"`);
    expect(shown.out).not.toContain('\u001b');
    const inline = Buffer.from('a hidden test').toString('base64');
    expect(shown.out).not.toContain(inline);
    expect((await tidemark(['dlq', 'show', id, '--json'])).out).not.toContain(inline);
    expect((await tidemark(['dlq', 'show', id, '--contents'])).out).toContain(inline);

    expect((await tidemark(['dlq', 'replay'])).code).toBe(2);
    expect((await tidemark(['dlq', 'drop', id, '--all'])).code).toBe(2);
    expect((await tidemark(['dlq', 'replay', id])).out).toBe('1 dead letter replayed\n');
    const again = await tidemark(['dlq', 'replay', id, idOf('unexpected')]);
    expect(again).toMatchObject({ code: 3, out: '1 dead letter replayed, 1 not\n' });
    expect(again.err).toContain('replayed already');
    expect((await tidemark(['dlq', 'drop', '--code', 'useless'])).out).toBe('1 dead letter dropped\n');
    expect((await tidemark(['dlq', 'list'])).out).toBe('No dead letter is open.\n');
    expect((await tidemark(['dlq', 'list', '--state', 'all'])).out.split('\n')).toHaveLength(5);
    expect((await tidemark(['dlq', 'show', 'nonsense'])).code).toBe(1);
    expect(parseLines((await tidemark(['dlq', 'replay', id, '--json'])).out)).toMatchObject([
      { replayed: 0, refused: [{ id, code: 'replayed' }] },
    ]);
  });
});

describe('topics', () => {
  it('are made, checked, described, and services are moved in them', async () => {
    const missing = await tidemark(['topics', 'check']);
    expect(missing.code).toBe(1);
    expect(missing.out).toContain('orders.sample.v1: It is not there.\n  tidemark topics create');
    // sample says that it reads none of them.
    expect(missing.out).not.toContain('.sample.dlq.v1');
    const made = await tidemark(['topics', 'create', '--partitions', '2']);
    expect(made.out).toContain('orders.sample.v1');
    expect((await tidemark(['topics', 'create'])).out).toMatch(/^0 topics made, \d+ there already\n$/);
    expect((await tidemark(['topics', 'check'])).out).toMatch(/^\d+ topics: as they should be\n$/);
    const described = await tidemark(['topics', 'describe', topics.problemsRaw.name]);
    expect(described.out).toContain('written by ingest, read by normalize, gateway');
    expect(described.out).toMatch(/gateway is \d+ behind/);
    expect((await tidemark(['topics', 'describe', 'no.such.v1'])).code).toBe(1);
    // The gateway reads topics itself, and takes its own orders.
    const args = ['topics', 'move', topics.problemsRaw.name, '--service', 'gateway', '--to'];
    expect((await tidemark([...args, 'start'])).out).toContain('gateway goes on in 2 partition(s)');
    const refused = await tidemark([...args, '99', '--json']);
    expect(refused.code).toBe(1);
    expect(parseLines(refused.out)).toMatchObject([{ outcome: 'refused', kind: 'move_offsets' }]);
    expect(
      (await tidemark(['topics', 'move', topics.problemsRaw.name, '--service', 'nobody', '--to', 'end'])).code,
    ).toBe(1);
    expect((await tidemark(['topics', 'move', topics.problemsRaw.name, '--to', 'end'])).code).toBe(2);
  });
});

describe('operators', () => {
  it('put benchmarks, take records back, and dump topics', async () => {
    const set = await file('HumanEval.jsonl.gz', gzipSync('{"task_id":"HumanEval/0","prompt":"p"}\n'));
    expect((await tidemark(['benchmark', 'put', set])).out).toBe('humaneval: 1 problem, added (version 1)\n');
    expect((await tidemark(['benchmark', 'list'])).out).toContain('humaneval');
    expect((await tidemark(['benchmark', 'remove', 'humaneval'])).code).toBe(0);
    expect((await tidemark(['withdraw', 'acme', 'a'])).out).toContain('on its way');
    await harness.untilQuiet();
    const dumped = parseLines((await tidemark(['topic', 'dump', topics.benchmarksChanged.name])).out);
    expect(dumped).toHaveLength(2);
    expect(dumped[0]).toMatchObject({ key: 'humaneval', offset: expect.any(String) as string, value: { version: 1 } });
    expect((await tidemark(['topic', 'list'])).out).toContain('problems.intake.v1');
    expect((await tidemark(['topic', 'dump', 'no.such.v1'])).code).toBe(1);
  });

  it('take a problem out and let it in again, and say what is wrong with the order', async () => {
    const id = idOf('taken-out');
    await publishReady(harness, 'taken-out', { original: 'One.', cleaned: 'One.' });
    await harness.untilQuiet();
    for (const args of [[id], ['no-id', '--reason', 'x'], ['acme', 'taken-out', '--all-versions']])
      expect([args, (await tidemark(['withdraw', ...args])).code]).toEqual([args, 2]);
    expect((await tidemark(['restore', id])).err).toContain('No operator withdraws');
    expect((await tidemark(['withdraw', idOf('never came'), '--reason', 'x'])).code).toBe(1);
    expect((await tidemark(['withdraw', id, '--reason', 'its source asks'])).out).toContain('up to version 1');
    expect((await tidemark(['explain', id])).out).toMatch(/Withdrawn by gateway: .*\n[^]*gateway withdraws it/);
    await harness.untilQuiet();
    expect(await harness.published(topics.problemsWithdrawn)).toMatchObject([
      { value: { problemId: id, version: 1, stage: Stage.GATEWAY, takenBack: false } },
    ]);
    expect((await tidemark(['restore', id])).out).toContain('is let in again');
    expect((await tidemark(['explain', id])).out).toContain('Ready for training.');
    await harness.untilQuiet();
    expect((await harness.published(topics.problemsWithdrawn)).at(-1)?.value).toMatchObject({ takenBack: true });
  });

  it('ask the doctor', async () => {
    const findings = parseLines((await tidemark(['doctor', '--json'])).out);
    const checks = ['node', 'settings', 'database', 'broker', 'sandbox', 'language python'];
    expect(findings.map(({ check }) => check)).toEqual([
      ...checks,
      // Whatever the machine has no compiler for is told too.
      ...['language c', 'language cpp', 'disk of data', 'gateway'],
      ...serviceNames.map((name) => `service ${name}`),
    ]);
    expect((await tidemark(['doctor'], { TIDEMARK_URL: 'http://127.0.0.1:9' })).code).toBe(1);
  });
});
