import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { headerNames, type LogRecord } from '@tidemark/event-log';
import { ConsumedRecordSchema } from '@tidemark/proto';
import type { Origin } from '../api.ts';

/** A consumed record as bytes: a `ConsumedRecord`. */
export function encodeOrigin({ id, record, revision, replays }: Origin): Buffer {
  const { key, value, timestampMs, ...place } = record;
  const message = create(ConsumedRecordSchema, {
    ...place,
    timestampMs: BigInt(Math.trunc(timestampMs)),
    eventId: id,
    replays,
    ...(revision === undefined ? {} : { revision }),
    ...(key === null ? {} : { key }),
    ...(value === null ? {} : { value }),
  });
  return Buffer.from(toBinary(ConsumedRecordSchema, message));
}

/** {@link encodeOrigin} without the value, for a row that keeps it in a column of its own. */
export function encodeOriginBesideValue(origin: Origin): Buffer {
  return encodeOrigin({ ...origin, record: { ...origin.record, value: null } });
}

/** @param value where it is kept beside */
export function decodeOrigin(bytes: Uint8Array, value?: Uint8Array): Origin {
  const { eventId, revision, replays, ...message } = fromBinary(ConsumedRecordSchema, bytes);
  const record: LogRecord = {
    topic: message.topic,
    partition: message.partition,
    offset: message.offset,
    timestampMs: Number(message.timestampMs),
    key: message.key ?? null,
    value: value ?? message.value ?? null,
    headers: message.headers,
  };
  return { id: eventId, traceparent: traceparentIn(record), record, revision, replays };
}

/** The trace that a record carries. */
export function traceparentIn({ headers }: Pick<LogRecord, 'headers'>): string | undefined {
  const value = headers[headerNames.traceparent];
  return value === undefined ? undefined : new TextDecoder().decode(value);
}
