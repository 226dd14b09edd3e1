import { fromBinary, type Message } from '@bufbuild/protobuf';
import { headerNames, type LogRecord } from '@tidemark/event-log';
import type { AnyTopic, RemovedKey, StageEvent } from '../api.ts';
import { messageOf } from '../faults.ts';
import { revisionOf } from '../outbox/revision-field.ts';

interface Common {
  readonly record: LogRecord;
  /** Event id: the sender's, or the record's place in the log where it gave none or where anyone may write. */
  readonly id: string;
  /** Present on revisioned topics. */
  readonly revision: bigint | undefined;
  readonly keyBytes: Uint8Array;
}

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
 * @param knownId id under which it was known before, of a record that gives none
 */
export function decodeRecord(topic: AnyTopic, incarnation: string, record: LogRecord, knownId?: string): Incoming {
  const text = (header: string): string | undefined => {
    const value = record.headers[header];
    return value === undefined ? undefined : decoder.decode(value);
  };
  const place = knownId ?? `${record.topic}/${incarnation}/${record.partition}/${record.offset}`;
  // On intake topics anyone may write any id: two records with one id would lead to events with one id, and the second
  // would pass for a repetition further down.
  const id = topic.logAppendTime ? place : (text(headerNames.id) ?? place);
  const common = { record, id, keyBytes: record.key ?? NO_KEY };
  const undecodable = (reason: string): Incoming => ({ ...common, kind: 'undecodable', revision: undefined, reason });
  const base = {
    id,
    traceparent: text(headerNames.traceparent),
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
    return { ...common, kind: 'removed', revision: BigInt(revision), removed: base };
  }
  try {
    const value = fromBinary(topic.schema, record.value);
    const revision = topic.revisioned ? revisionOf(topic.schema, value) : undefined;
    return { ...common, kind: 'event', revision, event: { ...base, value } };
  } catch (error) {
    return undecodable(`not a ${topic.schema.typeName}: ${messageOf(error)}`);
  }
}
