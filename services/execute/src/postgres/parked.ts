import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type RolloutsSubmitted, RolloutsSubmittedSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** A group that waits for its problem or target, with what is needed to take it up again or lay it aside. */
export interface ParkedGroup {
  readonly eventId: string;
  readonly traceparent: string | undefined;
  readonly group: RolloutsSubmitted;
  readonly partition: number;
  readonly offset: bigint;
  readonly appendedMs: number;
  /** Set when it waits for a replica that has this language, and for nothing else. */
  readonly language?: string;
}

interface Row {
  readonly event_id: string;
  readonly traceparent: string | null;
  readonly submitted_event: Uint8Array;
  readonly topic_partition: number;
  readonly topic_offset: bigint;
  readonly appended_ms: bigint;
}

/** Everything that group `p` waits for is there. */
const READY = `p.language IS NULL AND EXISTS (SELECT FROM targets t WHERE t.target = p.target AND t.version = p.target_version)
  AND EXISTS (SELECT FROM suites s JOIN problems k USING (problem_id) WHERE s.problem_id = p.problem_id
    AND s.version = CASE p.problem_version WHEN 0 THEN k.verified_version ELSE p.problem_version END)`;

export async function parkGroups(sql: Sql, groups: readonly ParkedGroup[]): Promise<void> {
  if (groups.length === 0) return;
  await sql.query(
    `INSERT INTO parked_groups (event_id, traceparent, submitter, target, target_version, problem_id, problem_version,
       submitted_event, topic_partition, topic_offset, appended_ms, language)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::int[],
       $8::bytea[], $9::int[], $10::bigint[], $11::bigint[], $12::text[])
     ON CONFLICT (event_id) DO NOTHING`,
    [
      groups.map(({ eventId }) => eventId),
      groups.map(({ traceparent }) => traceparent ?? null),
      groups.map(({ group }) => submitterOf(group)),
      groups.map(({ group }) => group.group?.target ?? ''),
      groups.map(({ group }) => group.group?.targetVersion ?? 0),
      groups.map(({ group }) => group.group?.problemId ?? ''),
      groups.map(({ group }) => group.group?.version ?? 0),
      groups.map(({ group }) => Buffer.from(toBinary(RolloutsSubmittedSchema, group))),
      groups.map(({ partition }) => partition),
      groups.map(({ offset }) => String(offset)),
      groups.map(({ appendedMs }) => Math.round(appendedMs)),
      groups.map(({ language }) => language ?? null),
    ],
  );
}

export function submitterOf(group: RolloutsSubmitted): string {
  return group.submitter?.name ?? '';
}

/** How many groups of each of these submitters wait. */
export async function countParked(sql: Sql, submitters: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query<{ submitter: string; count: bigint }>(
    'SELECT submitter, count(*) AS count FROM parked_groups WHERE submitter = ANY($1::text[]) AND language IS NULL GROUP BY submitter',
    [[...new Set(submitters)]],
  );
  return new Map(rows.map((row) => [row.submitter, Number(row.count)]));
}

/** Takes out groups for which everything is there now, oldest first. Groups that another replica takes are left out. */
export async function takeReady(sql: Sql, limit: number): Promise<ParkedGroup[]> {
  return await take(sql, READY, [limit]);
}

/** The problem of group `p` is known, and its verification under way: what is slow here is no fault of the group. */
const ON_ITS_WAY = `EXISTS (SELECT FROM problems k WHERE k.problem_id = p.problem_id AND (k.state = 'verifying' OR k.waits_for <> '{}')
  AND p.problem_version IN (0, k.version))`;

/**
 * Takes out groups that have waited longer than this for what is not known here. Those whose problem is being verified
 * or waits for a language, or for which everything is there, wait on.
 */
export async function takeExpired(sql: Sql, waitedMs: number, limit: number): Promise<ParkedGroup[]> {
  const expired = `p.language IS NULL AND p.parked_at < now() - $2 * interval '1 millisecond'`;
  return await take(sql, `${expired} AND NOT (${READY}) AND NOT ${ON_ITS_WAY}`, [limit, waitedMs]);
}

/** Takes out groups that waited for one of these languages, oldest first. */
export async function takeWaitingFor(sql: Sql, languages: readonly string[], limit: number): Promise<ParkedGroup[]> {
  return await take(sql, 'p.language = ANY($2::text[])', [limit, languages]);
}

/** How many groups wait for a language, counted no further than `limit`. */
export async function countWaitingForLanguage(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM parked_groups WHERE language IS NOT NULL LIMIT $1) AS waiting',
    [limit],
  );
  return Number(row?.count ?? 0);
}

export async function countReady(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: bigint }>(`SELECT count(*) AS count FROM parked_groups p WHERE ${READY}`);
  return Number(row?.count ?? 0);
}

async function take(sql: Sql, condition: string, parameters: readonly unknown[]): Promise<ParkedGroup[]> {
  const rows = await sql.query<Row>(
    `DELETE FROM parked_groups WHERE event_id IN (
       SELECT event_id FROM parked_groups p WHERE ${condition} ORDER BY parked_at, event_id LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    parameters,
  );
  return rows.map((row) => ({
    eventId: row.event_id,
    traceparent: row.traceparent ?? undefined,
    group: fromBinary(RolloutsSubmittedSchema, row.submitted_event),
    partition: row.topic_partition,
    offset: BigInt(row.topic_offset),
    appendedMs: Number(row.appended_ms),
  }));
}
