import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { headerNames, type TopicDefinition } from '@tidemark/event-log';
import { type AnyTopic, type Cause, RecordFault } from '../api.ts';
import { derivedEventId, traceparentOf } from './event-ids.ts';
import { setRevision } from './revision-field.ts';

/** Largest event, in bytes: bigger things travel by reference. */
const MAX_EVENT_BYTES = 256 * 1024;

/** An event on its way into the outbox. Its revision is known only under the key's row lock. */
export interface OutgoingEvent {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly revisioned: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly cause: Cause;
  /** @throws RecordFault `event_too_large` */
  serialise(revision: bigint | undefined): Uint8Array | null;
}

export interface EventOrigin {
  readonly service: string;
  readonly handler: string;
  readonly cause: Cause;
  readonly ordinal: number;
  /** Trace context that the event bears; without it one is drawn from its id. */
  readonly traceparent?: string;
}

export function messageEvent<D extends DescMessage>(
  origin: EventOrigin,
  topic: TopicDefinition<D>,
  message: MessageShape<D>,
  given?: string,
): OutgoingEvent {
  if (topic.key && given !== undefined) throw new TypeError(`${topic.name} makes its keys from its messages`);
  const key = topic.key?.(message) ?? given;
  if (key === '') throw new RecordFault('empty_key', `an event of ${topic.name} has an empty key`, origin.cause);
  const serialise = (revision?: bigint): Uint8Array => {
    if (revision !== undefined) setRevision(topic.schema, message, revision);
    const bytes = toBinary(topic.schema, message);
    if (bytes.length > MAX_EVENT_BYTES) {
      throw new RecordFault(
        'event_too_large',
        `an event of ${topic.name} has ${bytes.length} bytes, the limit is ${MAX_EVENT_BYTES}`,
        origin.cause,
      );
    }
    return bytes;
  };
  // Without a revision to wait for, what is too large fails whoever publishes it, where the cause is still at hand.
  const bytes = topic.revisioned ? undefined : serialise();
  return {
    topic: topic.name,
    key: key === undefined ? null : Buffer.from(key),
    revisioned: topic.revisioned,
    headers: headersOf(origin, topic),
    cause: origin.cause,
    serialise: (revision) => bytes ?? serialise(revision),
  };
}

export function tombstoneEvent(origin: EventOrigin, topic: AnyTopic, key: string): OutgoingEvent {
  if (!topic.revisioned) throw new TypeError(`${topic.name} is not compacted: it takes no tombstones`);
  return {
    topic: topic.name,
    key: Buffer.from(key),
    revisioned: true,
    headers: headersOf(origin, topic),
    cause: origin.cause,
    serialise: () => null,
  };
}

/** The CloudEvents headers of a derived event. */
export function headersOf(origin: EventOrigin, topic: Pick<AnyTopic, 'schema'>): Record<string, string> {
  const id = derivedEventId(origin.handler, origin.cause.id, origin.ordinal);
  return {
    [headerNames.id]: id,
    [headerNames.type]: topic.schema.typeName,
    [headerNames.source]: `/tidemark/${origin.service}`,
    [headerNames.time]: new Date().toISOString(),
    [headerNames.specVersion]: '1.0',
    [headerNames.traceparent]: origin.traceparent ?? traceparentOf(id, origin.cause.traceparent),
  };
}
