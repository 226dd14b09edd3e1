import type { Parked, Sql } from '@tidemark/stage-runtime';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countUnverified } from './count-unverified.ts';
import { migrations } from './migrations.ts';
import { type GroupColumns, parkedGroups } from './parked.ts';

let postgres: TestPostgres;
let source: DataSource;
let sql: Sql;

beforeAll(async () => {
  postgres = await startPostgres();
  source = await new DataSource({ type: 'postgres', url: postgres.url, migrations: [...migrations] }).initialize();
  await source.runMigrations();
  sql = {
    async query<Row>(text: string, parameters: readonly unknown[] = []) {
      const runner = source.createQueryRunner();
      try {
        return (await runner.query(text, [...parameters], true)).records as Row[];
      } finally {
        await runner.release();
      }
    },
  };
});
afterAll(async () => {
  await source.destroy();
  await postgres.stop();
});

function parked(problemId: string, version: number, submitter = 'lab', key = problemId): Parked<GroupColumns> {
  const record = {
    topic: 'rollouts.submitted.v1',
    partition: 3,
    offset: 41n,
    timestampMs: 1_700_000_000_123,
    key: Buffer.from(key),
    value: Buffer.from('no matter what'),
    headers: { ce_id: Buffer.from('own'), odd: Buffer.from([0, 255]) },
  };
  return {
    origin: { id: `${problemId} ${version}`, traceparent: undefined, record, revision: undefined, replays: 2 },
    submitter,
    columns: { target: 'toy', target_version: 1, problem_id: problemId, problem_version: version, language: undefined },
  };
}

it('keeps the record as it was read', async () => {
  const group = parked('kept', 0);
  await parkedGroups.park(sql, [group]);
  const [found] = await parkedGroups.take(sql, `p.problem_id = 'kept'`, [1]);
  expect(found).toEqual({ ...group.origin, columns: group.columns });
  await parkedGroups.remove(sql, [group.origin]);
  expect(await parkedGroups.take(sql, 'true', [9])).toEqual([]);
});

it('takes up what a replica of the release before has parked', async () => {
  await sql.query(
    `INSERT INTO parked_groups (event_id, submitter, target, target_version, problem_id, problem_version,
       submitted_event, topic_partition, topic_offset, appended_ms) VALUES ('e', 'lab', 't', 1, 'p', 2, 'bytes', 1, 7, 9)`,
  );
  const [found] = await parkedGroups.take(sql, 'true', [9]);
  expect(found).toMatchObject({
    id: 'e',
    record: { partition: 1, offset: 7n, timestampMs: 9, value: Buffer.from('bytes') },
  });
  await sql.query('DELETE FROM parked_groups');
});

it('counts all that nobody vouches for against one bound', async () => {
  const named = ['unverified:a', 'unverified:b', 'unverified:c'].map((name, index) => parked(`p${index}`, 0, name));
  await parkedGroups.park(sql, named.slice(0, 2), 2);
  await expect(parkedGroups.park(sql, named.slice(2), 2)).rejects.toMatchObject({ code: 'too_many_waiting' });
  await parkedGroups.park(sql, [parked('other', 0, 'lab')], 2);
  await sql.query('DELETE FROM parked_groups');
});

it('gives up groups of unknown problems alone, not those whose problem is being verified', async () => {
  await sql.query(
    `INSERT INTO problems (problem_id, version, unique_event, state, verified_version) VALUES
       ('slow', 2, '', 'verifying', 0), ('bad', 1, '', 'rejected', 0), ('done', 1, '', 'verified', 1)`,
  );
  await sql.query(`INSERT INTO suites VALUES ('done', 1, '', '', false)`);
  await sql.query(`INSERT INTO targets VALUES ('toy', 1, '')`);
  const groups = [parked('slow', 0), parked('slow', 2), parked('slow', 1), parked('bad', 0), parked('never came', 0)];
  await parkedGroups.park(sql, [...groups, parked('done', 1)]);
  const waiting = ['bad', 'never came', 'slow'].map((name) => ({ kind: 'verification', name, count: 1 }));
  expect(await countUnverified(sql)).toEqual(waiting);
  await sql.query(`UPDATE parked_groups SET parked_at = now() - interval '2 days'`);
  const expired = await parkedGroups.takeExpired(sql, 86_400_000, 100);
  expect(expired.map(({ id }) => id).sort()).toEqual(['bad 0', 'never came 0', 'slow 1']);
});
