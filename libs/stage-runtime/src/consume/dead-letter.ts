import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { deadLetterTopic } from '@tidemark/event-log';
import { DeadLetterSchema } from '@tidemark/proto';
import type { Sql } from '../api.ts';
import { headersOf, type OutgoingEvent } from '../outbox/outgoing-event.ts';
import type { StageIdentity } from '../identity.ts';
import type { RecordFaultFound } from './bisect.ts';
import type { Incoming } from './incoming.ts';

/** Above this the value stays behind: the log would refuse the letter, and the relay behind it would stand still. */
const MAX_VALUE_BYTES = 800_000;
const MAX_MESSAGE_LENGTH = 1_000;

/** The letter that holds a record at fault, with its bytes as they were. */
export function deadLetterEvent(
  identity: StageIdentity,
  handler: string,
  incoming: Incoming,
  fault: Pick<RecordFaultFound, 'code' | 'message'>,
  attempts: number,
): OutgoingEvent {
  const { record } = incoming;
  const fits = (record.value?.length ?? 0) <= MAX_VALUE_BYTES;
  const left = fits ? '' : `; its ${record.value?.length} bytes are too many for a letter and stay where it was read`;
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
    ...(record.key === null ? {} : { key: record.key }),
    ...(record.value === null || !fits ? {} : { value: record.value }),
  });
  const traceparent = record.headers.traceparent;
  const cause = { id: incoming.id, traceparent: traceparent && Buffer.from(traceparent).toString() };
  return {
    topic: deadLetterTopic(record.topic, identity.service),
    key: record.key === null ? null : Buffer.from(record.key),
    revisioned: false,
    headers: headersOf(
      { service: identity.service, handler: `${handler}/dead-letter`, cause, ordinal: 0 },
      { schema: DeadLetterSchema },
    ),
    serialise: () => toBinary(DeadLetterSchema, letter),
  };
}

/** Counts a letter. */
export async function countDeadLetter(sql: Sql, topic: string, code: string): Promise<void> {
  await sql.query(
    `INSERT INTO dead_letter_counts AS c (topic, code, count) VALUES ($1, $2, 1)
     ON CONFLICT (topic, code) DO UPDATE SET count = c.count + 1`,
    [topic, code],
  );
}
