import type { AnyTopic, Origin, Sql } from '../api.ts';
import type { Incoming } from './incoming.ts';

/**
 * Which records this service has not handled yet; the answer is written down in the same breath, so it must roll back
 * with the handling. On revisioned topics: the newest of each key, if its revision is higher than the one on record.
 * On the others: each event id once, since a relay that died after publishing publishes again. On intake topics anyone
 * may write any id, so ids prove nothing there: everything comes through, and the handler's own ids decide.
 */
export async function takeUnseen(
  sql: Sql,
  topic: AnyTopic,
  records: readonly Incoming[],
): Promise<readonly Incoming[]> {
  if (topic.revisioned) return takeNewerRevisions(sql, topic.name, records);
  if (topic.logAppendTime) return records;
  return takeNewIds(sql, topic.name, records);
}

/** A record that was handled, and of which nothing came: it is new again to who replays it. */
export async function forgetSeen(sql: Sql, { id, record: { topic, key }, revision }: Origin): Promise<void> {
  if (revision === undefined) {
    await sql.query('DELETE FROM seen_events WHERE topic = $1 AND event_id = $2', [topic, id]);
    return;
  }
  // What is older stays handled.
  await sql.query('UPDATE seen_revisions SET revision = revision - 1 WHERE topic = $1 AND key = $2 AND revision = $3', [
    topic,
    bufferOf(key ?? new Uint8Array()),
    revision,
  ]);
}

async function takeNewerRevisions(sql: Sql, topic: string, records: readonly Incoming[]): Promise<readonly Incoming[]> {
  const newest = new Map<string, Incoming>();
  for (const record of records) {
    const name = nameOf(record.keyBytes);
    const known = newest.get(name);
    if (known === undefined || (record.revision ?? 0n) > (known.revision ?? 0n)) newest.set(name, record);
  }
  const sorted = [...newest.values()].sort((a, b) => Buffer.compare(a.keyBytes, b.keyBytes));
  const rows = await sql.query<{ key: Buffer }>(
    `INSERT INTO seen_revisions AS s (topic, key, revision)
     SELECT $1, key, revision FROM unnest($2::bytea[], $3::bigint[]) AS r (key, revision)
     ON CONFLICT (topic, key) DO UPDATE SET revision = excluded.revision WHERE s.revision < excluded.revision
     RETURNING key`,
    [topic, sorted.map(({ keyBytes }) => bufferOf(keyBytes)), sorted.map(({ revision }) => revision ?? 0n)],
  );
  const fresh = new Set(rows.map(({ key }) => nameOf(key)));
  return records.filter((record) => {
    const name = nameOf(record.keyBytes);
    return fresh.has(name) && newest.get(name) === record;
  });
}

async function takeNewIds(sql: Sql, topic: string, records: readonly Incoming[]): Promise<readonly Incoming[]> {
  const first = new Map<string, Incoming>();
  for (const record of records) if (!first.has(record.id)) first.set(record.id, record);
  const rows = await sql.query<{ event_id: string }>(
    `INSERT INTO seen_events (topic, event_id) SELECT $1, id FROM unnest($2::text[]) AS e (id)
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [topic, [...first.keys()].sort()],
  );
  const fresh = new Set(rows.map(({ event_id }) => event_id));
  return records.filter((record) => fresh.has(record.id) && first.get(record.id) === record);
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const nameOf = (key: Uint8Array): string => bufferOf(key).toString('hex');
