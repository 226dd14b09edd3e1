import { type JsonValue, toJson } from '@bufbuild/protobuf';
import { type DeadLetter, DeadLetterSchema } from '@tidemark/proto';
import { decodeRecord, schemaOfTopic } from '../topics/decode-record.ts';
import { messageJson } from '../topics/message-json.ts';

/**
 * What a letter holds. Statements, tests, solutions and outputs, and with them the bytes of the record, are shown only
 * to who asks for contents.
 */
export function letterContent(letter: DeadLetter, contents: boolean): object {
  const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? null : new TextDecoder().decode(bytes));
  return {
    partition: letter.partition,
    offset: String(letter.offset),
    handler: letter.handler,
    recorded_at: new Date(Number(letter.recordTimestampMs)).toISOString(),
    key: text(letter.key),
    headers: Object.fromEntries(Object.entries(letter.headers).map(([name, bytes]) => [name, text(bytes)])),
    value_bytes: letter.value?.length ?? null,
    value: valueOf(letter, contents),
    ...(contents && letter.value !== undefined && { value_base64: Buffer.from(letter.value).toString('base64') }),
  };
}

/** The decoded record; null for a tombstone and for bytes that are no message. */
function valueOf(letter: DeadLetter, contents: boolean): JsonValue {
  const schema = schemaOfTopic(letter.topic);
  const message = letter.value === undefined ? undefined : decodeRecord(letter.topic, letter.value);
  if (schema === undefined || message === undefined || schema === DeadLetterSchema) return null;
  return contents ? toJson(schema, message) : messageJson(schema, message);
}
