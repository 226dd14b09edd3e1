import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Payload, PayloadSchema } from '@tidemark/proto';
import { BlobDamagedError, type BlobStore } from './blob-store.ts';

/** Up to this many bytes travel inside the event. */
export const INLINE_LIMIT_BYTES = 8192;

/**
 * Makes a payload of bytes (text as UTF-8): small ones inline, others stored first, so that the event may name them.
 *
 * @param inlineLimitBytes lower where an event holds many payloads: an event stays under 256 KiB
 */
export async function storePayload(
  store: BlobStore,
  content: Uint8Array | string,
  inlineLimitBytes = INLINE_LIMIT_BYTES,
): Promise<Payload> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const sizeBytes = BigInt(bytes.length);
  if (bytes.length > inlineLimitBytes) return create(PayloadSchema, { sha256: await store.put(bytes), sizeBytes });
  return create(PayloadSchema, { sha256: hashOf(bytes), sizeBytes, inline: bytes });
}

/**
 * The bytes of a payload.
 *
 * @throws BlobMissingError when it should lie in the store and doesn't
 * @throws BlobDamagedError when the bytes, inline ones too, are not those that the hash names
 */
export async function readPayload(store: BlobStore, payload: Payload): Promise<Uint8Array> {
  if (payload.inline === undefined) return await store.get(payload.sha256);
  if (hashOf(payload.inline) !== payload.sha256) throw new BlobDamagedError(payload.sha256);
  return payload.inline;
}

/** {@link readPayload} as text; bytes that are not UTF-8 become U+FFFD. */
export async function readPayloadText(store: BlobStore, payload: Payload): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readPayload(store, payload));
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
