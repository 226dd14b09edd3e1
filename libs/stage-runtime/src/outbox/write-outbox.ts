import { headerNames, maxRecordBytes, recordBytes } from '@tidemark/event-log';
import { RecordFault, type Sql } from '../api.ts';
import { encodeHeaders } from './headers-codec.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import { raiseRevisions } from './raise-revisions.ts';
import { shardOf } from './shards.ts';

/**
 * Writes events as rows of the outbox, in order. Revisions come first: they lock the keys, so that ids are drawn under
 * the lock and the id order of one key's rows is the order of their revisions.
 *
 * @returns the shards that now have rows
 * @throws RecordFault `event_too_large`
 */
export async function writeOutbox(sql: Sql, events: readonly OutgoingEvent[]): Promise<ReadonlySet<number>> {
  if (events.length === 0) return new Set();
  const revisions = await raiseRevisions(sql, events);
  const shards: number[] = [];
  const topics: string[] = [];
  const keys: (Buffer | null)[] = [];
  const values: (Buffer | null)[] = [];
  const headers: Buffer[] = [];
  events.forEach((event, index) => {
    const revision = revisions[index];
    const value = event.serialise(revision);
    const headersInBytes = headerBytes(event.headers, value === null ? revision : undefined);
    refuseTooLarge(event, recordBytes({ key: event.key, value, headers: headersInBytes }));
    shards.push(shardOf(event.key));
    topics.push(event.topic);
    keys.push(event.key);
    values.push(value === null ? null : asBuffer(value));
    headers.push(encodeHeaders(headersInBytes));
  });
  await sql.query(
    `INSERT INTO outbox (shard, topic, key, value, headers)
     SELECT shard, topic, key, value, headers
     FROM unnest($1::smallint[], $2::text[], $3::bytea[], $4::bytea[], $5::bytea[])
       WITH ORDINALITY AS e (shard, topic, key, value, headers, ordinal)
     ORDER BY ordinal`,
    [shards, topics, keys, values, headers],
  );
  return new Set(shards);
}

/** What the log would refuse for good must not become a row: the relay could never send it. */
function refuseTooLarge({ topic, cause }: OutgoingEvent, bytes: number): void {
  if (bytes <= maxRecordBytes) return;
  const message = `an event of ${topic} has ${bytes} bytes with its key and headers, the log takes ${maxRecordBytes}`;
  throw new RecordFault('event_too_large', message, cause);
}

function headerBytes(headers: Readonly<Record<string, string>>, tombstone: bigint | undefined) {
  const bytes: Record<string, Uint8Array> = {};
  for (const [name, value] of Object.entries(headers)) bytes[name] = Buffer.from(value);
  if (tombstone !== undefined) bytes[headerNames.revision] = Buffer.from(String(tombstone));
  return bytes;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
