import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type BlobStore, readPayload, storePayload } from '@tidemark/blob-store';
import { deadLetterTopic } from '@tidemark/event-log';
import { type DeadLetter, DeadLetterSchema } from '@tidemark/proto';
import type { Cause, Origin, Sql } from '../api.ts';
import { headersOf, type OutgoingEvent } from '../outbox/outgoing-event.ts';
import type { StageParts } from '../stage-parts.ts';
import type { RecordFaultFound } from './bisect.ts';
import { decodeOrigin, encodeOrigin, traceparentIn } from './origin-codec.ts';

/** Above this a letter names its record in the blob store: the order that replays it is an event too, and holds it whole. */
const MAX_LETTER_BYTES = 240 * 1024;
const MAX_MESSAGE_LENGTH = 1_000;

/** The letter that holds a record at fault as it was; it has no key of its own, which might be as large as anything. */
export async function deadLetterEvent(
  { identity, blobs }: Pick<StageParts, 'identity' | 'blobs'>,
  handler: string,
  origin: Origin,
  fault: Pick<RecordFaultFound, 'code' | 'message'>,
  attempts: number,
): Promise<OutgoingEvent> {
  const { record, replays } = origin;
  const frame = create(DeadLetterSchema, {
    topic: record.topic,
    partition: record.partition,
    offset: record.offset,
    service: identity.service,
    handler,
    errorCode: fault.code,
    errorMessage: fault.message.slice(0, MAX_MESSAGE_LENGTH),
    attempts,
    deadLetteredAt: timestampFromMs(Date.now()),
    recordTimestampMs: BigInt(Math.trunc(record.timestampMs)),
    eventId: origin.id,
    replays,
  });
  const whole = toBinary(DeadLetterSchema, { ...frame, ...contentOf(origin) });
  const value =
    whole.length <= MAX_LETTER_BYTES
      ? whole
      : toBinary(DeadLetterSchema, { ...frame, record: await storePayload(blobs, encodeOrigin(origin)) });
  return letterEvent(identity, handler, origin, replays, record.topic, value);
}

/** The letter once more, as it lies, with what became of its replay. */
export function letterAgainEvent(
  { identity }: Pick<StageParts, 'identity'>,
  letter: DeadLetter,
  fault: Pick<RecordFaultFound, 'code' | 'message'>,
): OutgoingEvent {
  const replays = letter.replays + 1;
  const again = {
    ...letter,
    errorCode: fault.code,
    errorMessage: fault.message.slice(0, MAX_MESSAGE_LENGTH),
    deadLetteredAt: timestampFromMs(Date.now()),
    replays,
  };
  const cause = { id: letterId(letter), traceparent: traceparentIn(letter) };
  return letterEvent(identity, letter.handler, cause, replays, letter.topic, toBinary(DeadLetterSchema, again));
}

function letterEvent(
  { service }: StageParts['identity'],
  handler: string,
  cause: Cause,
  replays: number,
  topic: string,
  value: Uint8Array,
): OutgoingEvent {
  return {
    topic: deadLetterTopic(topic, service),
    key: null,
    revisioned: false,
    headers: headersOf(
      { service, handler: `${handler}/dead-letter`, cause, ordinal: replays },
      { schema: DeadLetterSchema },
    ),
    cause,
    serialise: () => value,
  };
}

/** Id of the record in a letter; one that names none is of a record that its place tells. */
export const letterId = ({ eventId, topic, partition, offset }: DeadLetter): string =>
  eventId === '' ? `${topic}/${partition}/${offset}` : eventId;

/**
 * A letter with key, value and headers of its record, wherever they lie.
 *
 * @throws BlobError
 */
export async function wholeLetter(blobs: BlobStore, letter: DeadLetter): Promise<DeadLetter> {
  const { record, ...frame } = letter;
  if (record === undefined) return letter;
  return { ...frame, ...contentOf(decodeOrigin(await readPayload(blobs, record))) };
}

function contentOf({ record: { key, value, headers } }: Origin): Pick<DeadLetter, 'headers' | 'key' | 'value'> {
  return { headers: { ...headers }, ...(key === null ? {} : { key }), ...(value === null ? {} : { value }) };
}

/** Counts a letter. */
export async function countDeadLetter(sql: Sql, topic: string, code: string): Promise<void> {
  await sql.query(
    `INSERT INTO dead_letter_counts AS c (topic, code, count) VALUES ($1, $2, 1)
     ON CONFLICT (topic, code) DO UPDATE SET count = c.count + 1`,
    [topic, code],
  );
}
