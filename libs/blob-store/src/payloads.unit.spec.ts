import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BlobStore } from './blob-store.ts';
import { INLINE_LIMIT_BYTES, readPayload, readPayloadText, storePayload } from './payloads.ts';

class MemoryBlobStore extends BlobStore {
  readonly blobs = new Map<string, Uint8Array>();
  put(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.blobs.set(sha256, bytes);
    return Promise.resolve(sha256);
  }
  get(sha256: string): Promise<Uint8Array> {
    return Promise.resolve(this.blobs.get(sha256) as Uint8Array);
  }
  list = (): never => {
    throw new Error('not asked for');
  };
  remove = (): never => {
    throw new Error('not asked for');
  };
}

describe('payloads', () => {
  it.each([
    [0, 0],
    [INLINE_LIMIT_BYTES, 0],
    [INLINE_LIMIT_BYTES + 1, 1],
  ])('of %i bytes put %i into the store and come back whole', async (size, stored) => {
    const store = new MemoryBlobStore();
    const bytes = new Uint8Array(size).fill(7);
    const payload = await storePayload(store, bytes);
    expect(store.blobs.size).toBe(stored);
    expect(payload.sizeBytes).toBe(BigInt(size));
    expect(payload.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(await readPayload(store, payload)).toEqual(bytes);
  });

  it('take text as UTF-8, a byte order mark among it', async () => {
    const store = new MemoryBlobStore();
    expect(await readPayloadText(store, await storePayload(store, '\uFEFFд'))).toBe('\uFEFFд');
  });
});
