import type { Sql } from '@tidemark/stage-runtime';
import type { KnownRecord } from '../on-problem-intake/decide-offer.ts';

interface Row {
  readonly problem_id: string;
  readonly version: number;
  readonly content_sha256: string;
  readonly submitter: string;
  readonly state: 'new' | KnownRecord['state'];
}

/**
 * Locks the rows of these records until the transaction ends, making those that are not there: two offers of one
 * record, on two replicas, are decided one after the other. Locks are taken in the order of the ids.
 */
export async function lockRecords(sql: Sql, problemIds: readonly string[]): Promise<Map<string, KnownRecord>> {
  const ids = [...new Set(problemIds)].sort();
  await sql.query(
    `INSERT INTO records (problem_id, version, content_sha256, submitter, state)
     SELECT id, 0, '', '', 'new' FROM unnest($1::text[]) AS id ORDER BY id
     ON CONFLICT (problem_id) DO NOTHING`,
    [ids],
  );
  const rows = await sql.query<Row>('SELECT * FROM records WHERE problem_id = ANY($1) ORDER BY problem_id FOR UPDATE', [
    ids,
  ]);
  const known = new Map<string, KnownRecord>();
  for (const { problem_id, version, content_sha256, submitter, state } of rows) {
    if (state !== 'new') known.set(problem_id, { version, contentSha256: content_sha256, submitter, state });
  }
  return known;
}

export async function saveRecords(sql: Sql, records: ReadonlyMap<string, KnownRecord>): Promise<void> {
  const rows = [...records];
  await sql.query(
    `UPDATE records SET version = r.version, content_sha256 = r.content_sha256, submitter = r.submitter, state = r.state
     FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[])
       AS r (problem_id, version, content_sha256, submitter, state)
     WHERE records.problem_id = r.problem_id`,
    [
      rows.map(([id]) => id),
      rows.map(([, record]) => record.version),
      rows.map(([, record]) => record.contentSha256),
      rows.map(([, record]) => record.submitter),
      rows.map(([, record]) => record.state),
    ],
  );
}
