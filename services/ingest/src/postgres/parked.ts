import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type RolloutsIntake, RolloutsIntakeSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** A group that waits for its problem, target or checkpoint, with what is needed to take it up again or lay it aside. */
export interface ParkedGroup {
  /** Its place in the log. */
  readonly eventId: string;
  /** The sender's id of it; undefined where it gave none. */
  readonly senderId: string | undefined;
  readonly traceparent: string | undefined;
  readonly submitter: string;
  readonly target: string;
  /** Undefined when any version will do. */
  readonly targetVersion: number | undefined;
  readonly checkpoint: string;
  readonly problemId: string;
  readonly offer: RolloutsIntake;
  readonly intakeHour: number;
  readonly partition: number;
  readonly offset: bigint;
  readonly appendedMs: number;
}

interface Row {
  readonly event_id: string;
  readonly sender_id: string | null;
  readonly traceparent: string | null;
  readonly submitter: string;
  readonly target: string;
  readonly target_version: number | null;
  readonly checkpoint: string;
  readonly problem_id: string;
  readonly offer: Uint8Array;
  readonly intake_hour: number;
  readonly topic_partition: number;
  readonly topic_offset: bigint;
  readonly appended_ms: bigint;
}

/** Everything that group `p` waits for is there. */
const READY = `EXISTS (SELECT FROM records r WHERE r.problem_id = p.problem_id AND r.state IN ('accepted', 'withdrawn'))
  AND EXISTS (SELECT FROM checkpoints c JOIN targets t
    ON t.target = c.target AND t.version = coalesce(p.target_version, c.target_version)
    WHERE c.target = p.target AND c.checkpoint = p.checkpoint)`;

export async function parkGroups(sql: Sql, groups: readonly ParkedGroup[]): Promise<void> {
  await sql.query(
    `INSERT INTO parked_groups (event_id, traceparent, submitter, target, target_version, checkpoint, problem_id, offer, intake_hour,
       topic_partition, topic_offset, appended_ms, sender_id)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[],
       $8::bytea[], $9::int[], $10::int[], $11::bigint[], $12::bigint[], $13::text[])
     ON CONFLICT (event_id) DO NOTHING`,
    [
      groups.map((group) => group.eventId),
      groups.map((group) => group.traceparent ?? null),
      groups.map((group) => group.submitter),
      groups.map((group) => group.target),
      groups.map((group) => group.targetVersion ?? null),
      groups.map((group) => group.checkpoint),
      groups.map((group) => group.problemId),
      groups.map((group) => Buffer.from(toBinary(RolloutsIntakeSchema, group.offer))),
      groups.map((group) => group.intakeHour),
      groups.map((group) => group.partition),
      groups.map((group) => String(group.offset)),
      groups.map((group) => group.appendedMs),
      groups.map((group) => group.senderId ?? null),
    ],
  );
}

/** How many groups of each of these submitters wait. */
export async function countParked(sql: Sql, submitters: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query<{ submitter: string; count: bigint }>(
    'SELECT submitter, count(*) AS count FROM parked_groups WHERE submitter = ANY($1) GROUP BY submitter',
    [[...new Set(submitters)]],
  );
  return new Map(rows.map((row) => [row.submitter, Number(row.count)]));
}

/** Takes out groups for which everything is there now, oldest first. Groups that another replica takes are left out. */
export async function takeReady(sql: Sql, limit: number): Promise<ParkedGroup[]> {
  return take(sql, READY, [limit]);
}

/**
 * Takes out groups that had waited longer than this at that moment, and for which something is still missing: what is
 * there and only waits for its turn is never given up.
 */
export async function takeExpired(sql: Sql, waitedMs: number, at: Date, limit: number): Promise<ParkedGroup[]> {
  const expired = `p.parked_at < $3::timestamptz - $2 * interval '1 millisecond'`;
  return take(sql, `${expired} AND NOT (${READY})`, [limit, waitedMs, at]);
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
  return rows.map(fromRow);
}

function fromRow(row: Row): ParkedGroup {
  return {
    eventId: row.event_id,
    senderId: row.sender_id ?? undefined,
    traceparent: row.traceparent ?? undefined,
    submitter: row.submitter,
    target: row.target,
    targetVersion: row.target_version ?? undefined,
    checkpoint: row.checkpoint,
    problemId: row.problem_id,
    offer: fromBinary(RolloutsIntakeSchema, row.offer),
    intakeHour: row.intake_hour,
    partition: row.topic_partition,
    offset: BigInt(row.topic_offset),
    appendedMs: Number(row.appended_ms),
  };
}
