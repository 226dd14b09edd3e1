import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ProblemVerified, ProblemVerifiedSchema, Split } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** Keeps what judges a version. */
export async function saveSuites(sql: Sql, events: readonly ProblemVerified[]): Promise<void> {
  if (events.length === 0) return;
  await sql.query(
    `INSERT INTO suites (problem_id, version, suite_hash, verified_event, held_out)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::bytea[], $5::boolean[])
     ON CONFLICT (problem_id, version) DO UPDATE SET suite_hash = excluded.suite_hash,
       verified_event = excluded.verified_event, held_out = excluded.held_out`,
    [
      events.map((event) => event.problemId),
      events.map((event) => event.version),
      events.map((event) => event.suiteHash),
      events.map((event) => Buffer.from(toBinary(ProblemVerifiedSchema, event))),
      events.map((event) => event.split === Split.HELD_OUT),
    ],
  );
}

/** What judges one version; undefined when that version was never verified. */
export async function readSuite(sql: Sql, problemId: string, version: number): Promise<ProblemVerified | undefined> {
  const [row] = await sql.query<{ verified_event: Uint8Array }>(
    'SELECT verified_event FROM suites WHERE problem_id = $1 AND version = $2',
    [problemId, version],
  );
  return row && fromBinary(ProblemVerifiedSchema, row.verified_event);
}
