import { fromBinary } from '@bufbuild/protobuf';
import { curatedTopic, headerNames, type LogRecord, topics } from '@tidemark/event-log';
import type { AnyTopic } from '../api.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import { encodeHeaders } from '../outbox/headers-codec.ts';
import { revisionOf } from '../outbox/revision-field.ts';
import { shardOf } from '../outbox/shards.ts';

/**
 * Puts an event into the outbox again that the log refused. The events of its key that came later have gone out long
 * ago. On a topic with revisions the log would keep the old event as the key's newest once the newer ones are compacted:
 * there it goes out only while nothing newer of its key was published. On the others it comes late, once.
 *
 * @returns the shard to wake; undefined when a newer event has taken its place
 */
export async function replayRefused(
  open: OpenTransaction,
  { topic, key, value, headers }: LogRecord,
): Promise<number | undefined> {
  const revision = revisionIn(topic, value, headers);
  if (revision !== undefined) {
    // The row is locked whatever it says, so that nothing newer of the key gets a place before ours.
    const [last] = await open.query<{ is_newer: boolean }>(
      'SELECT revision > $3 AS is_newer FROM outgoing_revisions WHERE topic = $1 AND key = $2 FOR UPDATE',
      [topic, bufferOf(key), revision],
    );
    if (last?.is_newer === true) return undefined;
  }
  const shard = shardOf(key);
  await open.query('INSERT INTO outbox (shard, topic, key, value, headers) VALUES ($1, $2, $3, $4, $5)', [
    shard,
    topic,
    bufferOf(key),
    bufferOf(value),
    encodeHeaders(headers),
  ]);
  return shard;
}

function revisionIn(topic: string, value: Uint8Array | null, headers: LogRecord['headers']): bigint | undefined {
  const definition = definitionOf(topic);
  if (!definition?.revisioned) return undefined;
  if (value !== null) return revisionOf(definition.schema, fromBinary(definition.schema, value));
  const revision = headers[headerNames.revision];
  return revision === undefined ? undefined : BigInt(new TextDecoder().decode(revision));
}

function definitionOf(topic: string): AnyTopic | undefined {
  const known: readonly AnyTopic[] = Object.values(topics);
  return topic.startsWith('curated.') ? curatedTopic('any') : known.find(({ name }) => name === topic);
}

const bufferOf = (bytes: Uint8Array | null): Buffer | null =>
  bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
