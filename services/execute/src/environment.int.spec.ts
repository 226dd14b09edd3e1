import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clone, create, fromBinary } from '@bufbuild/protobuf';
import { ordersTopic, topics } from '@tidemark/event-log';
import {
  AnswerForm,
  DeadLetterSchema,
  ProblemUniqueSchema,
  ServiceOrderSchema,
  StageOutcome,
  TestSuiteSchema,
  Verdict,
} from '@tidemark/proto';
import { deadLetters } from '@tidemark/stage-runtime';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executeService } from './index.ts';
import { adding, group, SUM, target, unique } from './testing/events.ts';

/** Input at which the spec's bubblewrap fails once `poisoned` is there; with `away` it always fails. */
const POISON = '13 29';
const BWRAP = (folder: string) => `#!/bin/sh
[ -e ${folder}/away ] && { echo "bwrap: it is away" >&2; exit 1; }
input=$(cat)
[ -e ${folder}/poisoned ] && [ "$input" = "${POISON}" ] && { echo "bwrap: it broke" >&2; exit 1; }
printf '%s\\n' "$input" | bwrap "$@"
`;

const poison = clone(TestSuiteSchema, adding);
const [test] = poison.tests;
if (test?.body.case === 'stdin') {
  test.body.value.input = new TextEncoder().encode(POISON);
  test.body.value.expected = new TextEncoder().encode('42');
}

describe('a failure that says nothing about the program', () => {
  let folder: string;
  let stage: StageHarness;
  const set = (flag: 'away' | 'poisoned') => writeFileSync(join(folder, flag), '');
  const clear = (flag: 'away' | 'poisoned') => rmSync(join(folder, flag));

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-bwrap-'));
    chmodSync(folder, 0o755);
    const bwrap = join(folder, 'bwrap');
    writeFileSync(bwrap, BWRAP(folder), { mode: 0o755 });
    const config = { workers: '2', interpreters: 'cold', bwrap, maxSuspicions: '3', suspicionGapMs: '50' };
    stage = await startStage(executeService, { config });
    await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
    await stage.publish(topics.problemsUnique, unique('sum', adding, [SUM]), unique('poison', poison, [SUM]));
    await stage.untilQuiet(60_000);
    expect((await stage.published(topics.problemsVerified)).length).toBe(2);
  }, 90_000);
  afterEach(async () => {
    await stage.stop();
    rmSync(folder, { recursive: true });
  });

  const answer = `\`\`\`python\n${SUM}\`\`\``;
  const graded = async () => {
    const records = await stage.published(topics.rolloutsGraded);
    return new Map(records.map(({ value }) => [value?.group?.groupId, value?.verdicts.map(({ verdict }) => verdict)]));
  };
  const attempts = async () => Number((await stage.query('SELECT max(attempts) AS n FROM jobs'))[0]?.n ?? 0);

  it('is waited for without an end while the machine is at fault, says so, and publishes nothing', async () => {
    set('away');
    await stage.publish(topics.rolloutsSubmitted, group('waiting', 'sum', 'chat', [answer, 'no code']));
    await stage.publish(topics.problemsUnique, unique('late', adding, [SUM]));
    // More often than any number of tries that was ever the end.
    await expect.poll(attempts, { timeout: 60_000 }).toBeGreaterThan(6);
    expect(await graded()).toEqual(new Map());
    expect(stage.service.readiness().reasons.join()).toContain(
      'jobs grade wait for judge: sandbox failure: bwrap: it is away',
    );
    expect(await stage.query('SELECT * FROM suspicions')).toEqual([]);
    clear('away');
    await stage.untilQuiet(60_000);
    expect(await graded()).toEqual(new Map([['waiting', [Verdict.ACCEPTED, Verdict.NO_CODE]]]));
    expect((await stage.published(topics.problemsVerified)).map(({ key }) => key)).toContain('late');
    expect(stage.service.readiness()).toEqual({ ready: true, reasons: [] });
  }, 180_000);

  it('of one program alone stands after a few occasions, out of what counts, and holds up nobody', async () => {
    set('poisoned');
    await stage.publish(
      topics.rolloutsSubmitted,
      group('breaking', 'poison', 'chat', [answer, 'no code', answer]),
      group('other', 'sum', 'chat', [answer]),
    );
    await expect.poll(async () => (await graded()).get('other'), { timeout: 60_000 }).toEqual([Verdict.ACCEPTED]);
    await stage.untilQuiet(60_000);
    const broken = Verdict.SANDBOX_FAILURE;
    expect((await graded()).get('breaking')).toEqual([broken, Verdict.NO_CODE, broken]);
    const failures = await stage.query('SELECT attempt_index, verdict FROM environment_failures ORDER BY 1');
    expect(failures.map(({ attempt_index, verdict }) => [attempt_index, verdict])).toEqual([
      [0, broken],
      [2, broken],
    ]);
    expect(await stage.query('SELECT * FROM suspicions')).toEqual([]);
  }, 180_000);

  it('of a reference alone ends its problem visibly', async () => {
    set('poisoned');
    await stage.publish(topics.problemsUnique, unique('breaking', poison, [SUM]));
    await stage.untilQuiet(60_000);
    const said = (await stage.published(topics.problemsStatus)).find(({ value }) => value?.problemId === 'breaking');
    expect(said?.value).toMatchObject({ outcome: StageOutcome.DEAD_LETTERED, reason: 'verification_failed' });
    expect(said?.value?.message).toContain('ends in sandbox_failure');
    const letters = () => stage.published(deadLetters(topics.problemsUnique.name, 'execute'));
    const record = (await stage.published(topics.problemsUnique)).find(({ key }) => key === 'breaking');
    const [letter] = (await letters()).flatMap(({ value }) => (value === undefined ? [] : [value]));
    expect(letter).toMatchObject({
      key: Buffer.from('breaking'),
      headers: record?.headers,
      errorCode: 'verification_failed',
      handler: 'execute/job/verify',
    });
    expect(fromBinary(ProblemUniqueSchema, letter?.value ?? new Uint8Array())).toEqual(record?.value);
    // Mended, and replayed: its references run again.
    clear('poisoned');
    const order = create(ServiceOrderSchema, { order: { case: 'replay', value: letter ?? create(DeadLetterSchema) } });
    await stage.publish(ordersTopic('execute'), order);
    await stage.untilQuiet(60_000);
    expect((await stage.published(topics.problemsVerified)).map(({ key }) => key)).toContain('breaking');
    expect(await letters()).toHaveLength(1);
  }, 180_000);
});
