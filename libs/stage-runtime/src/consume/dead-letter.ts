import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { deadLetterTopic, type LogRecord, recordBytes } from '@tidemark/event-log';
import { DeadLetterSchema } from '@tidemark/proto';
import type { Sql } from '../api.ts';
import { headersOf, type OutgoingEvent } from '../outbox/outgoing-event.ts';
import type { StageIdentity } from '../identity.ts';
import type { RecordFaultFound } from './bisect.ts';
import type { Incoming } from './incoming.ts';

/** Above this, parts of the record stay behind: the log would refuse the letter, and the relay would stand still. */
const MAX_RECORD_BYTES = 800_000;
const MAX_MESSAGE_LENGTH = 1_000;

/** How often a record was tried, and laid aside and taken up again. */
export interface Tries {
  readonly attempts: number;
  readonly replays: number;
}

/** The letter that holds a record at fault, with its bytes as they were. */
export function deadLetterEvent(
  identity: StageIdentity,
  handler: string,
  incoming: Pick<Incoming, 'record' | 'id'>,
  fault: Pick<RecordFaultFound, 'code' | 'message'>,
  { attempts, replays }: Tries,
): OutgoingEvent {
  const { record, left } = asFarAsItFits(incoming.record);
  const letter = create(DeadLetterSchema, {
    topic: record.topic,
    partition: record.partition,
    offset: record.offset,
    headers: { ...record.headers },
    service: identity.service,
    handler,
    errorCode: fault.code,
    errorMessage: `${fault.message.slice(0, MAX_MESSAGE_LENGTH)}${left}`,
    attempts,
    deadLetteredAt: timestampFromMs(Date.now()),
    recordTimestampMs: BigInt(Math.trunc(record.timestampMs)),
    eventId: incoming.id,
    replays,
    incomplete: left !== '',
    ...(record.key === null ? {} : { key: record.key }),
    ...(record.value === null ? {} : { value: record.value }),
  });
  const traceparent = incoming.record.headers.traceparent;
  const cause = { id: incoming.id, traceparent: traceparent && Buffer.from(traceparent).toString() };
  return {
    topic: deadLetterTopic(record.topic, identity.service),
    key: record.key === null ? null : Buffer.from(record.key),
    revisioned: false,
    headers: headersOf(
      { service: identity.service, handler: `${handler}/dead-letter`, cause, ordinal: replays },
      { schema: DeadLetterSchema },
    ),
    cause,
    serialise: () => toBinary(DeadLetterSchema, letter),
  };
}

/** What of a record a letter can take; the value is the first to stay behind. */
function asFarAsItFits(record: LogRecord): { readonly record: LogRecord; readonly left: string } {
  // The key stands in the letter, and once more as the letter's own.
  const frame = recordBytes({ ...record, value: record.key });
  const value = record.value?.length ?? 0;
  if (frame + value <= MAX_RECORD_BYTES) return { record, left: '' };
  const left = `; its ${recordBytes(record)} bytes are too many for a letter and stay where it was read`;
  if (frame <= MAX_RECORD_BYTES) return { record: { ...record, value: null }, left };
  return { record: { ...record, value: null, key: null, headers: {} }, left };
}

/** Counts a letter. */
export async function countDeadLetter(sql: Sql, topic: string, code: string): Promise<void> {
  await sql.query(
    `INSERT INTO dead_letter_counts AS c (topic, code, count) VALUES ($1, $2, 1)
     ON CONFLICT (topic, code) DO UPDATE SET count = c.count + 1`,
    [topic, code],
  );
}
