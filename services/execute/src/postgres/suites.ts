import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ProblemVerified, ProblemVerifiedSchema, Split } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** What judges one version of a problem. */
export interface JudgedBy {
  readonly event: ProblemVerified;
  /** Assertions run in the program's own process, because its references pass only so. */
  readonly together: boolean;
}

/** Keeps what judges a version. */
export async function saveSuites(sql: Sql, suites: readonly JudgedBy[]): Promise<void> {
  if (suites.length === 0) return;
  await sql.query(
    `INSERT INTO suites (problem_id, version, suite_hash, verified_event, held_out, together)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::bytea[], $5::boolean[], $6::boolean[])
     ON CONFLICT (problem_id, version) DO UPDATE SET suite_hash = excluded.suite_hash,
       verified_event = excluded.verified_event, held_out = excluded.held_out, together = excluded.together`,
    [
      suites.map(({ event }) => event.problemId),
      suites.map(({ event }) => event.version),
      suites.map(({ event }) => event.suiteHash),
      suites.map(({ event }) => Buffer.from(toBinary(ProblemVerifiedSchema, event))),
      suites.map(({ event }) => event.split === Split.HELD_OUT),
      suites.map(({ together }) => together),
    ],
  );
}

/** What judges one version; undefined when that version was never verified. */
export async function readSuite(sql: Sql, problemId: string, version: number): Promise<JudgedBy | undefined> {
  const [row] = await sql.query<{ verified_event: Uint8Array; together: boolean }>(
    'SELECT verified_event, together FROM suites WHERE problem_id = $1 AND version = $2',
    [problemId, version],
  );
  if (row === undefined) return undefined;
  const event = fromBinary(ProblemVerifiedSchema, row.verified_event);
  // Releases of before left it out of the event.
  event.sharesProcess = row.together;
  return { event, together: row.together };
}
