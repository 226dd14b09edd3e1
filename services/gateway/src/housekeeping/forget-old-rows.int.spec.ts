import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from '../index.ts';
import { TestClient } from '../testing/client.ts';
import { forgetOldRows } from './forget-old-rows.ts';

let harness: StageHarness;
let client: TestClient;
beforeAll(async () => {
  harness = await startStage(gatewayService, { http: true });
  client = new TestClient(harness);
});
afterAll(() => harness?.stop());

const keeping = { keepUploadsDays: 30, keepGroupsDays: 30, keepHistoryDays: 90 };
const count = async (table: string) => (await harness.query(`SELECT 1 FROM ${table}`)).length;
const record = (id: string, statement: unknown = 'x') =>
  JSON.stringify({ format: 'tidemark.problem.v1', namespace: 'acme', id, statement });
const intake = async () => (await client.json('GET', '/v1/status')).body.intake as Record<string, number>;

describe('what the gateway keeps of old uploads', () => {
  it('is nothing of the lines, and the totals; newer uploads are untouched', async () => {
    await client.upload('/v1/problems?source_file=old.jsonl', `${record('a')}\n${record('b', 7)}\n`);
    await client.upload('/v1/problems?source_file=new.jsonl', `${record('c')}\n${record('d', 7)}\n`);
    const before = await intake();
    const [old] = await harness.query<{ upload_id: string }>(
      `UPDATE upload SET last_at = now() - interval '31 days' WHERE source_file = 'old.jsonl' RETURNING upload_id`,
    );
    await forgetOldRows(harness, keeping);

    expect(await count('upload')).toBe(1);
    expect(await harness.query('SELECT 1 FROM submission WHERE upload_id = $1', [old?.upload_id])).toEqual([]);
    expect(await count('submission')).toBe(2);
    expect(await harness.query('SELECT source_file FROM upload_name')).toEqual([{ source_file: 'new.jsonl' }]);
    expect(await intake()).toEqual(before);
  });

  it('leaves a problem that is known answerable by the id of its record', async () => {
    await harness.query(
      `INSERT INTO problem (problem_id, namespace, record_id, source_file, source_record)
       VALUES ('0123456789abcdef0123456789abcdef', 'acme', 'kept', 'old.jsonl', 1)`,
    );
    await forgetOldRows(harness, keeping);
    const { body } = await client.json('GET', '/v1/problems?search=kept');
    expect(body.problems).toMatchObject([{ record_id: 'kept' }]);
    const lines = await client.json('GET', '/v1/submissions?source_file=old.jsonl&line=1');
    expect(lines.body.problems).toMatchObject([{ record_id: 'kept' }]);
  });
});

describe('what is only history', () => {
  it('goes after its days, but for open letters and the newest of a problem at a stage', async () => {
    const letters: readonly (readonly [id: string | null, state: string, ageDays: number])[] = [
      ['p1', 'dropped', 120],
      ['p1', 'dropped', 100],
      ['p2', 'open', 200],
      [null, 'expired', 100],
      [null, 'expired', 80],
    ];
    for (const [index, [problem, state, age]] of letters.entries()) {
      await harness.query(
        `INSERT INTO dead_letter (dlq_topic, dlq_partition, dlq_offset, topic, service, problem_id, error_code,
           error_message, attempts, dead_lettered_at, state)
         VALUES ('t.dlq.v1', 0, $1, 't', 's', $2, 'c', 'm', 1, now() - $3 * interval '1 day', $4)`,
        [index, problem, age, state],
      );
    }
    for (const age of [10, 91]) {
      await harness.query(
        `INSERT INTO command (command_id, kind, service, target, requested_by, requested_at)
         VALUES ($1, 'evaluate', 'calibrate', 't', 'me', now() - $2 * interval '1 day')`,
        [`c${age}`, age],
      );
      await harness.query(`INSERT INTO refusal (kind, record_sha256, refused_at)
         VALUES ('problems', 'r${age}', now() - interval '${age} days')`);
    }
    await forgetOldRows(harness, keeping);
    const left = await harness.query('SELECT dlq_offset::int AS at FROM dead_letter ORDER BY 1');
    expect(left).toEqual([{ at: 1 }, { at: 2 }, { at: 4 }]);
    expect(await harness.query('SELECT command_id FROM command')).toEqual([{ command_id: 'c10' }]);
    expect(await harness.query(`SELECT record_sha256 FROM refusal WHERE record_sha256 LIKE 'r%'`)).toEqual([
      { record_sha256: 'r10' },
    ]);
  });
});
