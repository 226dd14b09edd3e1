import { randomUUID } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { BlobStore } from '@tidemark/blob-store';
import { deadLetterTopic, ordersTopic, topic, topics } from '@tidemark/event-log';
import { problemIdOf, sha256Hex, submitterMac } from '@tidemark/identity';
import {
  CheckpointAdvancedSchema,
  DeadLetterSchema,
  type ProblemIntake,
  ProblemIntakeSchema,
  ProblemWithdrawnSchema,
  type RolloutsIntake,
  RolloutsIntakeSchema,
  ServiceOrderSchema,
  Stage,
  StageOutcome,
  type Submitter,
  SubmitterSchema,
  TargetDeclaredSchema,
} from '@tidemark/proto';
import { derivedEventId, StageDatabase, wholeLetter } from '@tidemark/stage-runtime';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ingestService } from './index.ts';
import { countMissing } from './postgres/count-missing.ts';
import { parkedGroups } from './postgres/parked.ts';

const SECRET = 'shared with the gateway';
const utf8 = new TextEncoder();

let stage: StageHarness;
beforeEach(async () => {
  stage = await startStage(ingestService, { config: { gatewaySecret: SECRET } });
});
afterEach(() => stage.stop());

function submitter(payload: Uint8Array, line: number, name = 'lab', trustedToGrade = false): Submitter {
  return create(SubmitterSchema, {
    name,
    trustedToGrade,
    sourceFile: 'problems.jsonl',
    sourceRecord: BigInt(line),
    gatewayMac: submitterMac(SECRET, { submitter: name, trustedToGrade, payload }),
  });
}

function payloadOf(bytes: Uint8Array) {
  return { sha256: sha256Hex(bytes), sizeBytes: BigInt(bytes.length), inline: bytes };
}

const sum = {
  format: 'tidemark.problem.v1',
  namespace: 'own',
  id: 'sum',
  statement: 'Print a+b.',
  tests: { form: 'stdin', cases: [{ input: '1 2\n', expected: '3\n' }] },
  references: [{ code: 'print(sum(map(int, input().split())))' }],
};
const sumId = problemIdOf('own', 'sum');

function offer(record: unknown, name = 'lab', line = 1): ProblemIntake {
  const bytes = utf8.encode(typeof record === 'string' ? record : JSON.stringify(record));
  return create(ProblemIntakeSchema, { record: payloadOf(bytes), submitter: submitter(bytes, line, name) });
}

function withdrawal(id: string, name = 'lab'): ProblemIntake {
  const bytes = utf8.encode(
    JSON.stringify({ format: 'tidemark.withdrawal.v1', namespace: 'own', id, reason: 'It leaked.' }),
  );
  return create(ProblemIntakeSchema, {
    withdraw: true,
    record: payloadOf(bytes),
    submitter: submitter(bytes, 0, name),
  });
}

async function intake(...offers: ProblemIntake[]): Promise<void> {
  for (const one of offers) {
    await stage.publish(topics.problemsIntake, one);
    await stage.untilQuiet();
  }
}

async function newest<T extends { revision: bigint }>(records: Promise<{ key: string; value: T | undefined }[]>) {
  const byKey = new Map<string, T>();
  for (const { key, value } of await records) {
    if (value && value.revision > (byKey.get(key)?.revision ?? 0n)) byKey.set(key, value);
  }
  return byKey;
}

const deadLetters = async (of: string) => (await lettersOf(of)).map((letter) => letter?.errorCode);

async function lettersOf(of: string) {
  const letters = topic(deadLetterTopic(of, 'ingest'), {
    schema: DeadLetterSchema,
    cleanup: 'delete',
    writtenBy: ['ingest'],
    readBy: ['gateway'],
    says: '',
  });
  return (await stage.published(letters)).map((letter) => letter.value);
}

describe('an offered problem', () => {
  it('is stamped with its id and version 1, and says so', async () => {
    await intake(offer(sum));
    const raw = (await newest(stage.published(topics.problemsRaw))).get(sumId);
    expect(raw).toMatchObject({
      version: 1,
      revision: 1n,
      format: 'tidemark.problem.v1',
      submitter: { name: 'lab', sourceRecord: 1n },
    });
    expect(raw?.content).toMatchObject({ testCount: 1, languages: ['python'] });
    const [status] = (await newest(stage.published(topics.problemsStatus))).values();
    expect(status).toMatchObject({
      problemId: sumId,
      version: 1,
      outcome: StageOutcome.PASSED,
      origin: { namespace: 'own', recordId: 'sum' },
    });
  });

  it('gets a version when its content changes, and only then', async () => {
    await intake(
      offer(sum),
      offer({ ...sum, dates: { scraped: '2026-01-01' } }),
      offer({ ...sum, statement: 'Print b+a.' }),
    );
    const versions = (await stage.published(topics.problemsRaw)).map((record) => record.value?.version);
    expect(versions).toEqual([1, 2]);
    expect((await stage.published(topics.problemsStatus)).map((record) => record.value?.message)).toEqual([
      'Taken in as version 1.',
      'Offered again, unchanged.',
      'Taken in as version 2.',
    ]);
  });

  it('is one problem however often and on whatever partition it is offered', async () => {
    await stage.publish(topics.problemsIntake, ...Array.from({ length: 6 }, () => offer(sum)));
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsRaw)).map((record) => record.value?.version)).toEqual([1]);
    expect(await stage.published(topics.problemsStatus)).toHaveLength(6);
  });

  it('keeps naming who may withdraw it when another offers it as it is, readable or not', async () => {
    const bad = { ...sum, id: 'bad', statement: 3 };
    for (const record of [sum, bad]) await intake(offer(record, 'lab', 3), offer(record, 'stranger', 9));
    const statuses = await newest(stage.published(topics.problemsStatus));
    for (const id of [sumId, problemIdOf('own', 'bad')]) {
      expect(statuses.get(`${id}:INGEST`)?.submitter).toMatchObject({ name: 'lab', sourceRecord: 3n });
    }
  });

  it('is rejected with every fault when it cannot be read, and the others go in', async () => {
    await intake(offer({ ...sum, id: 'bad', statement: 3, kind: 'poem' }, 'lab', 7), offer(sum));
    const status = (await newest(stage.published(topics.problemsStatus))).get(`${problemIdOf('own', 'bad')}:INGEST`);
    expect(status).toMatchObject({
      outcome: StageOutcome.REJECTED,
      reason: 'invalid_record',
      submitter: { sourceRecord: 7n },
    });
    expect(status?.evidence.map((one) => [one.kind, one.subjectId])).toEqual([
      ['wrong_type', 'statement'],
      ['bad_value', 'kind'],
    ]);
    expect([...(await newest(stage.published(topics.problemsRaw))).keys()]).toEqual([sumId]);
  });

  it('stays as it is when a worse or a foreign one comes', async () => {
    await intake(offer(sum), offer({ ...sum, statement: 3 }), offer({ ...sum, statement: 'Print 7.' }, 'stranger'));
    expect((await stage.published(topics.problemsRaw)).map((record) => record.value?.version)).toEqual([1]);
    expect((await deadLetters('problems.intake.v1')).sort()).toEqual(['invalid_record', 'not_owner']);
  });

  it('leaves when its producer withdraws it, and comes back when offered again', async () => {
    await intake(offer(sum), withdrawal('sum', 'stranger'), withdrawal('sum'));
    const key = `${sumId}:INGEST`;
    expect((await newest(stage.published(topics.problemsWithdrawn))).get(key)).toMatchObject({
      version: 1,
      takenBack: false,
      reason: 'withdrawn_by_producer',
      evidence: [{ text: 'It leaked.' }],
    });
    await intake(offer(sum));
    expect((await newest(stage.published(topics.problemsWithdrawn))).get(key)).toMatchObject({
      version: 1,
      takenBack: true,
    });
    expect((await newest(stage.published(topics.problemsRaw))).get(sumId)).toMatchObject({ version: 1, revision: 2n });
    expect(await deadLetters('problems.intake.v1')).toEqual(['not_owner']);
  });

  it('is not passed on while an operator has its version taken out', async () => {
    const takenOut = (version: number, takenBack: boolean) =>
      create(ProblemWithdrawnSchema, { problemId: sumId, version, stage: Stage.GATEWAY, takenBack });
    await stage.publish(topics.problemsWithdrawn, takenOut(2, false));
    await stage.untilQuiet();
    // Two versions in one batch.
    await stage.publish(topics.problemsIntake, offer(sum), offer({ ...sum, statement: 'Print b+a.' }));
    await stage.untilQuiet();
    expect(await stage.published(topics.problemsRaw)).toEqual([]);
    await stage.publish(topics.problemsWithdrawn, takenOut(2, true));
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsRaw)).map(({ value }) => value?.version)).toEqual([2]);
  });

  it('is laid aside when nobody stored its bytes', async () => {
    await intake(create(ProblemIntakeSchema, { record: { sha256: 'a'.repeat(64), sizeBytes: 9000n } }), offer(sum));
    expect(await deadLetters('problems.intake.v1')).toEqual(['blob_missing']);
    expect(await stage.published(topics.problemsRaw)).toHaveLength(1);
  });
});

const group = {
  format: 'tidemark.rollouts.v1',
  target: 'toy',
  checkpoint: 'c1',
  namespace: 'own',
  id: 'sum',
  attempts: [{ output: 'print(3)' }],
};

function rollouts(record: unknown, line: number, trusted = false): RolloutsIntake {
  const bytes = utf8.encode(JSON.stringify(record));
  const file = 'f'.repeat(64);
  return create(RolloutsIntakeSchema, {
    record: payloadOf(bytes),
    submitter: submitter(bytes, line, 'lab', trusted),
    fileSha256: file,
  });
}

/** As a producer's own Kafka client would write them, one by one, with an event id of its choice. */
async function publishWithId(id: string, groups: readonly RolloutsIntake[]): Promise<void> {
  const writer = await stage.log.writer(`spec.${id}`);
  for (const one of groups) {
    const value = toBinary(RolloutsIntakeSchema, one);
    const headers = { ce_id: utf8.encode(id) };
    await writer.transaction(async () => [{ topic: topics.rolloutsIntake.name, key: null, value, headers }]);
    await stage.untilQuiet();
  }
  await writer.close();
}

const declare = () =>
  stage.publish(
    topics.targetsDeclared,
    create(TargetDeclaredSchema, { target: 'toy', version: 1, groupSize: 2, declaredAt: timestampNow() }),
  );
const advance = () =>
  stage.publish(
    topics.checkpointsAdvanced,
    create(CheckpointAdvancedSchema, { target: 'toy', checkpoint: 'c1', targetVersion: 1 }),
  );

describe('a group of attempts', () => {
  it('goes on to be graded, each line on its own although they are equal', async () => {
    await intake(offer(sum));
    await declare();
    await advance();
    await stage.untilQuiet();
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1), rollouts(group, 2));
    await stage.untilQuiet();
    const submitted = (await stage.published(topics.rolloutsSubmitted)).map((record) => record.value);
    expect(new Set(submitted.map((one) => one?.group?.groupId)).size).toBe(2);
    expect(submitted[0]?.group).toMatchObject({
      target: 'toy',
      targetVersion: 1,
      checkpoint: 'c1',
      problemId: sumId,
      version: 0,
    });
    expect(submitted[0]?.group?.intakeHour).toBe(Math.floor(Date.now() / 3_600_000));
    expect(new TextDecoder().decode(submitted[0]?.attempts[0]?.output?.inline)).toBe('print(3)');
  });

  it('waits for target, checkpoint and problem, whichever comes last', async () => {
    const waiting = async () => {
      await stage.untilQuiet();
      return (await stage.service.activity()).waiting;
    };
    // Sent twice it is one group that waits.
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1), rollouts(group, 1));
    expect(await waiting()).toEqual([{ kind: 'target', name: 'toy', count: 1 }]);
    await declare();
    expect(await waiting()).toEqual([{ kind: 'checkpoint', name: 'c1 of toy', count: 1 }]);
    await advance();
    expect(await waiting()).toEqual([{ kind: 'problem', name: sumId, count: 1 }]);
    expect(await stage.published(topics.rolloutsSubmitted)).toEqual([]);
    await intake(offer(sum));
    expect(await waiting()).toBeUndefined();
    const submitted = await stage.published(topics.rolloutsSubmitted);
    expect(new Set(submitted.map((record) => record.value?.group?.groupId)).size).toBe(1);
    expect(await stage.query('SELECT * FROM parked_groups')).toEqual([]);
  });

  it('goes on under the ids that it would have had unparked, and one at fault beside it is laid aside', async () => {
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1), rollouts({ ...group, group_id: 'bad' }, 2));
    await stage.untilQuiet();
    const parked = await stage.query<{ event_id: string }>('SELECT event_id FROM parked_groups ORDER BY topic_offset');
    const [good, bad] = parked.map(({ event_id }) => event_id);
    await stage.query(`UPDATE parked_groups SET offer = '\\xffff' WHERE event_id = $1`, [bad]);
    await declare();
    await advance();
    await intake(offer(sum));
    await expect.poll(() => stage.query('SELECT * FROM parked_groups'), { timeout: 30_000 }).toEqual([]);
    await stage.untilQuiet();
    const submitted = await stage.published(topics.rolloutsSubmitted);
    expect(submitted.map(({ id }) => id)).toEqual([derivedEventId('ingest/rollouts.intake.v1', good ?? '', 0)]);
    expect(await deadLetters('rollouts.intake.v1')).toEqual(['unexpected']);
  });

  it('is counted without its content being read', async () => {
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1), rollouts(group, 2), rollouts(group, 2));
    await stage.untilQuiet();
    const role = `counter_${randomUUID().replaceAll('-', '')}`;
    const columns = await stage.query<{ names: string; schema: string }>(
      `SELECT string_agg(column_name, ', ') AS names, current_schema() AS schema FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = 'parked_groups' AND column_name <> 'offer'`,
    );
    const { names, schema } = columns[0] ?? { names: '', schema: '' };
    await stage.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA "${schema}" TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO ${role};
      REVOKE SELECT ON parked_groups FROM ${role}; GRANT SELECT (${names}) ON parked_groups TO ${role}`);
    try {
      const counted = await stage.service.get(StageDatabase).transaction('spec', async (tx) => {
        await tx.query(`SET LOCAL ROLE ${role}`);
        return await countMissing(tx);
      });
      expect(counted).toEqual([{ kind: 'target', name: 'toy', count: 2 }]);
    } finally {
      await stage.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it('counts although another carries the same event id, and again after it was laid aside', async () => {
    await intake(offer(sum));
    await declare();
    await advance();
    await stage.untilQuiet();
    const records = [rollouts(group, 1), rollouts({ ...group, attempts: [] }, 2), rollouts(group, 3)];
    await publishWithId('the same', records);
    const submitted = await stage.published(topics.rolloutsSubmitted);
    expect(submitted).toHaveLength(2);
    expect(new Set(submitted.map((record) => record.id)).size).toBe(2);
    expect(await deadLetters('rollouts.intake.v1')).toEqual(['invalid_record']);
  });

  it('is one group when its event is repeated, and two when only the event id is', async () => {
    await intake(offer(sum));
    await declare();
    await advance();
    await stage.untilQuiet();
    const placeless = (record: unknown) => create(RolloutsIntakeSchema, { ...rollouts(record, 0), fileSha256: '' });
    const other = { ...group, attempts: [{ output: 'print(4)' }] };
    await publishWithId('a', [placeless(group), placeless(group), placeless(other)]);
    await publishWithId('b', [placeless(group)]);
    const submitted = await stage.published(topics.rolloutsSubmitted);
    expect(submitted).toHaveLength(4);
    expect(new Set(submitted.map((record) => record.value?.group?.groupId)).size).toBe(3);
  });

  it('is not given up when what it waits for came while the service was down', async () => {
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1));
    await stage.untilQuiet();
    await stage.kill();
    await stage.query(`UPDATE parked_groups SET parked_at = now() - interval '25 hours'`);
    await declare();
    await advance();
    await stage.publish(topics.problemsIntake, offer(sum));
    await stage.query('UPDATE timers SET due_at = now()');
    await stage.restart();
    await expect.poll(() => stage.published(topics.rolloutsSubmitted), { timeout: 15_000 }).toHaveLength(1);
    expect(await deadLetters('rollouts.intake.v1')).toEqual([]);
  });

  it('is not given up when all is there and it only waits for its turn', async () => {
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1), rollouts({ ...group, id: 'other' }, 2));
    await stage.untilQuiet();
    await intake(offer(sum));
    await stage.kill();
    await stage.query(`INSERT INTO targets VALUES ('toy', 1, 2)`);
    await stage.query(`INSERT INTO checkpoints VALUES ('toy', 'c1', 1)`);
    const expired = await parkedGroups.takeExpired(stage, 0, 10, new Date(Date.now() + 60_000));
    const offers = expired.map(({ record }) => fromBinary(RolloutsIntakeSchema, record.value ?? new Uint8Array()));
    expect(offers.map(({ submitter: from }) => from?.sourceRecord)).toEqual([2n]);
  });

  it('waits for the version of the target that its checkpoint belongs to', async () => {
    await intake(offer(sum));
    await declare();
    await stage.publish(
      topics.checkpointsAdvanced,
      create(CheckpointAdvancedSchema, { target: 'toy', checkpoint: 'c1', targetVersion: 2 }),
    );
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1));
    // Quiet: nothing claims that the group could go on.
    await stage.untilQuiet();
    expect((await stage.service.activity()).waiting).toEqual([{ kind: 'target_version', name: '2 of toy', count: 1 }]);
    expect(await stage.query('SELECT 1 FROM parked_groups')).toHaveLength(1);
  });

  it('is dead-lettered as unknown_problem when nothing came in time', async () => {
    await stage.publish(topics.rolloutsIntake, rollouts(group, 1));
    await stage.untilQuiet();
    await stage.query(`UPDATE parked_groups SET parked_at = now() - interval '25 hours'`);
    await expect.poll(() => deadLetters('rollouts.intake.v1'), { timeout: 30_000 }).toEqual(['unknown_problem']);
  });

  it('is laid aside as it was read, however large it is, and holds up none behind it', async () => {
    const large = rollouts({ ...group, attempts: [{ output: 'x'.repeat(300_000) }] }, 1);
    await stage.publishBytes(topics.rolloutsIntake, 'its own key', toBinary(RolloutsIntakeSchema, large));
    await stage.publish(topics.rolloutsIntake, rollouts(group, 2));
    await stage.untilQuiet();
    await stage.query(`UPDATE parked_groups SET parked_at = now() - interval '25 hours'`);
    await expect.poll(() => deadLetters('rollouts.intake.v1'), { timeout: 30_000 }).toHaveLength(2);
    const letters = (await lettersOf('rollouts.intake.v1')).flatMap((letter) => (letter === undefined ? [] : [letter]));
    const whole = await Promise.all(letters.map((letter) => wholeLetter(stage.service.get(BlobStore), letter)));
    const found = whole.find(({ value }) => (value?.length ?? 0) > 300_000);
    expect(found).toMatchObject({ key: Buffer.from('its own key'), errorCode: 'unknown_problem', service: 'ingest' });
    expect(Buffer.from(found?.value ?? []).equals(toBinary(RolloutsIntakeSchema, large))).toBe(true);
    expect(Object.keys(found?.headers ?? {})).toContain('ce_id');
    expect(found?.eventId).toContain(`/${found?.partition}/${found?.offset}`);
    // Replayed, it waits again; with what it waits for it goes on.
    const orders = letters.map((value) => create(ServiceOrderSchema, { order: { case: 'replay', value } }));
    await stage.publish(ordersTopic('ingest'), ...orders);
    await stage.untilQuiet();
    await declare();
    await advance();
    await stage.publish(topics.problemsIntake, offer(sum));
    await stage.untilQuiet();
    expect(await stage.published(topics.rolloutsSubmitted)).toHaveLength(2);
  });

  it('that turns out to be no good when it is taken up holds up none behind it', async () => {
    await stage.publish(topics.rolloutsIntake, rollouts({ ...group, problem_version: 9 }, 1), rollouts(group, 2));
    await stage.untilQuiet();
    await declare();
    await advance();
    await stage.publish(topics.problemsIntake, offer(sum));
    await stage.untilQuiet();
    expect(await stage.published(topics.rolloutsSubmitted)).toHaveLength(1);
    expect(await deadLetters('rollouts.intake.v1')).toEqual(['unknown_version']);
  });

  it('is graded as it came for a trusted grader alone', async () => {
    await intake(offer(sum));
    await declare();
    await advance();
    await stage.untilQuiet();
    const graded = {
      ...group,
      group: 'g1',
      attempts: [{ verdict: 'accepted' }, { verdict: 'sandbox_failure' }],
      judge_version: 'theirs',
    };
    await stage.publish(
      topics.rolloutsIntake,
      rollouts(graded, 1, true),
      rollouts({ ...graded, group: 'g2' }, 2, false),
    );
    await stage.untilQuiet();
    const [record] = await stage.published(topics.rolloutsGraded);
    expect(record?.value).toMatchObject({
      gradedBySubmitter: true,
      judgeVersion: 'theirs',
      group: { groupId: 'g1', version: 1 },
    });
    expect(await stage.published(topics.rolloutsGraded)).toHaveLength(1);
    expect(await deadLetters('rollouts.intake.v1')).toEqual(['untrusted_grade']);
  });

  it('is refused when it is larger than the groups of its target', async () => {
    await intake(offer(sum));
    await declare();
    await advance();
    await stage.untilQuiet();
    await stage.publish(
      topics.rolloutsIntake,
      rollouts({ ...group, attempts: [{ output: '' }, { output: '' }, { output: '' }] }, 1),
    );
    await stage.untilQuiet();
    expect(await deadLetters('rollouts.intake.v1')).toEqual(['group_too_large']);
  });
});

it('counts nothing twice when it is killed in between', async () => {
  await intake(offer(sum));
  await stage.publish(topics.problemsIntake, ...Array.from({ length: 40 }, (_, i) => offer({ ...sum, id: `p${i}` })));
  await stage.kill();
  await stage.restart();
  await stage.untilQuiet();
  const raw = await newest(stage.published(topics.problemsRaw));
  expect(raw.size).toBe(41);
  expect([...raw.values()].every((one) => one.version === 1)).toBe(true);
});
