import { fromBinary, type Message } from '@bufbuild/protobuf';
import { headerNames, type LogRecord } from '@tidemark/event-log';
import type { AnyTopic, Origin, RemovedKey, StageEvent } from '../api.ts';
import { messageOf } from '../faults.ts';
import { revisionOf } from '../outbox/revision-field.ts';
import { traceparentIn } from './origin-codec.ts';

interface Common extends Origin {
  readonly keyBytes: Uint8Array;
}

/** What a letter tells of a record that the record itself does not. */
export type KnownBefore = Pick<Origin, 'id' | 'replays'>;

/** A record as far as it could be understood. */
export type Incoming =
  | (Common & { readonly kind: 'event'; readonly event: StageEvent<Message> })
  | (Common & { readonly kind: 'removed'; readonly removed: RemovedKey })
  | (Common & { readonly kind: 'undecodable'; readonly reason: string });

const decoder = new TextDecoder();
const NO_KEY = new Uint8Array();

/**
 * Decodes a record; what it does not know of a newer writer's message is kept in it.
 *
 * @param before of a record that is replayed
 */
export function decodeRecord(topic: AnyTopic, incarnation: string, record: LogRecord, before?: KnownBefore): Incoming {
  const text = (header: string): string | undefined => {
    const value = record.headers[header];
    return value === undefined ? undefined : decoder.decode(value);
  };
  const place = before?.id ?? `${record.topic}/${incarnation}/${record.partition}/${record.offset}`;
  // On intake topics anyone may write any id: two records with one id would lead to events with one id, and the second
  // would pass for a repetition further down.
  const id = topic.logAppendTime ? place : (text(headerNames.id) ?? place);
  // Event id: the sender's, or the record's place in the log where it gave none or where anyone may write.
  const origin = { id, traceparent: traceparentIn(record), record, replays: before?.replays ?? 0 };
  const common = { ...origin, keyBytes: record.key ?? NO_KEY };
  const undecodable = (reason: string): Incoming => ({ ...common, kind: 'undecodable', revision: undefined, reason });
  const base = {
    ...origin,
    key: decoder.decode(common.keyBytes),
    topic: record.topic,
    partition: record.partition,
    offset: record.offset,
    timestampMs: record.timestampMs,
    headers: record.headers,
  };
  if (topic.revisioned && record.key === null) return undecodable('a record of a compacted topic has no key');
  if (record.value === null) {
    if (!topic.revisioned) return undecodable('a tombstone on a topic that is not compacted');
    const revision = text(headerNames.revision) ?? '';
    if (!/^\d{1,19}$/.test(revision)) return undecodable(`a tombstone without the header ${headerNames.revision}`);
    const removed = { ...base, revision: BigInt(revision) };
    return { ...common, kind: 'removed', revision: removed.revision, removed };
  }
  try {
    const value = fromBinary(topic.schema, record.value);
    const revision = topic.revisioned ? revisionOf(topic.schema, value) : undefined;
    return { ...common, kind: 'event', revision, event: { ...base, revision, value } };
  } catch (error) {
    return undecodable(`not a ${topic.schema.typeName}: ${messageOf(error)}`);
  }
}
