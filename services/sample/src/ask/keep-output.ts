import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type BlobStore, INLINE_LIMIT_BYTES } from '@tidemark/blob-store';
import { type Payload, PayloadSchema } from '@tidemark/proto';

/** What the outputs of a group may take inside its event, in bytes: an event stays well below 256 KiB. */
const GROUP_INLINE_BYTES = 128 * 1024;

/** An output as a payload: inline when it is small enough for a group of that many, else in the blob store first. */
export async function keepOutput(blobs: BlobStore, text: string, attempts: number): Promise<Payload> {
  const bytes = new TextEncoder().encode(text);
  const sizeBytes = BigInt(bytes.length);
  if (bytes.length > Math.min(INLINE_LIMIT_BYTES, GROUP_INLINE_BYTES / attempts)) {
    return create(PayloadSchema, { sha256: await blobs.put(bytes), sizeBytes });
  }
  return create(PayloadSchema, { sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes, inline: bytes });
}
