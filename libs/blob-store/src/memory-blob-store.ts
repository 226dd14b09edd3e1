import { createHash } from 'node:crypto';
import { BlobMissingError, BlobStore, type StoredBlob } from './blob-store.ts';

/** Holds blobs as long as it is held itself: for judging on the spot, and for tests. */
export class MemoryBlobStore extends BlobStore {
  private readonly blobs = new Map<string, Uint8Array>();

  override async put(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.blobs.set(sha256, bytes);
    return sha256;
  }

  override async get(sha256: string): Promise<Uint8Array> {
    const bytes = this.blobs.get(sha256);
    if (bytes === undefined) throw new BlobMissingError(sha256);
    return bytes;
  }

  override async *list(): AsyncIterable<StoredBlob> {
    for (const [sha256, { length }] of this.blobs) yield { sha256, storedBytes: length, putAtMs: 0 };
  }

  override async remove(sha256: string): Promise<boolean> {
    return this.blobs.delete(sha256);
  }
}
