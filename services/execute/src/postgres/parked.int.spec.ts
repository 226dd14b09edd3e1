import { create } from '@bufbuild/protobuf';
import { GroupIdentitySchema, RolloutsSubmittedSchema, SubmitterSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrations } from './migrations.ts';
import { type ParkedGroup, parkGroups, takeExpired } from './parked.ts';

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

function parked(problemId: string, version: number): ParkedGroup {
  return {
    eventId: `${problemId} ${version}`,
    traceparent: undefined,
    group: create(RolloutsSubmittedSchema, {
      group: create(GroupIdentitySchema, { target: 'toy', targetVersion: 1, problemId, version }),
      submitter: create(SubmitterSchema, { name: 'lab' }),
    }),
    partition: 0,
    offset: 0n,
    appendedMs: 0,
  };
}

it('gives up groups of unknown problems alone, not those whose problem is being verified', async () => {
  await sql.query(
    `INSERT INTO problems (problem_id, version, unique_event, state, verified_version) VALUES
       ('slow', 2, '', 'verifying', 0), ('bad', 1, '', 'rejected', 0), ('done', 1, '', 'verified', 1)`,
  );
  await sql.query(`INSERT INTO suites VALUES ('done', 1, '', '', false)`);
  await sql.query(`INSERT INTO targets VALUES ('toy', 1, '')`);
  const groups = [parked('slow', 0), parked('slow', 2), parked('slow', 1), parked('bad', 0), parked('never came', 0)];
  await parkGroups(sql, [...groups, parked('done', 1)]);
  await sql.query(`UPDATE parked_groups SET parked_at = now() - interval '2 days'`);
  const expired = await takeExpired(sql, 86_400_000, 100);
  expect(expired.map(({ eventId }) => eventId).sort()).toEqual(['bad 0', 'never came 0', 'slow 1']);
});
