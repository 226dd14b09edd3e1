import { hash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { BlobDamagedError, BlobMissingError, BlobStore } from './blob-store.ts';
import { ByteCache } from './byte-cache.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface FolderBlobStoreOptions {
  /** Uncompressed bytes kept in memory. Default 32 MiB. */
  readonly cacheBytes?: number;
}

/**
 * Blobs as files `<folder>/<2 hex>/<2 hex>/<sha256>.zst`. A blob is written beside its place, synced, renamed into it,
 * and the folder synced: a crash leaves no half blob under its name. Several processes may share the folder.
 */
export class FolderBlobStore extends BlobStore {
  private readonly cache: ByteCache;

  constructor(
    private readonly folder: string,
    options: FolderBlobStoreOptions = {},
  ) {
    super();
    this.cache = new ByteCache(options.cacheBytes ?? 32 * 1024 * 1024);
  }

  async put(bytes: Uint8Array): Promise<string> {
    const sha256 = hash('sha256', bytes);
    const path = this.pathOf(sha256);
    if (!this.cache.has(sha256)) {
      // Another process may have renamed it into place and not synced the folder yet.
      if (await exists(path)) await syncFolder(dirname(path));
      else await this.write(path, await compress(bytes));
    }
    this.cache.set(sha256, bytes);
    return sha256;
  }

  async get(sha256: string): Promise<Uint8Array> {
    const cached = this.cache.get(sha256);
    if (cached !== undefined) return cached;
    const bytes = await this.read(sha256);
    if (hash('sha256', bytes) !== sha256) throw new BlobDamagedError(sha256);
    this.cache.set(sha256, bytes);
    return bytes;
  }

  private async read(sha256: string): Promise<Uint8Array> {
    let stored: Buffer;
    try {
      stored = await readFile(this.pathOf(sha256));
    } catch (error) {
      if (isMissing(error)) throw new BlobMissingError(sha256, { cause: error });
      throw error;
    }
    try {
      return await decompress(stored);
    } catch (error) {
      throw new BlobDamagedError(sha256, { cause: error });
    }
  }

  private async write(path: string, bytes: Uint8Array): Promise<void> {
    const folder = dirname(path);
    await makeFolder(folder, this.folder);
    const beside = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      const file = await open(beside, 'wx', 0o640);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  /** @throws TypeError for what is not a hash, so that no name leads out of the folder */
  private pathOf(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('a blob is named by 64 hexadecimal digits');
    return join(this.folder, sha256.slice(0, 2), sha256.slice(2, 4), `${sha256}.zst`);
  }
}

/** Makes a folder and syncs those that name it, up to the store's own. */
async function makeFolder(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o750 });
  if (first === undefined) return;
  for (let at = dirname(folder); at.length >= root.length; at = dirname(at)) await syncFolder(at);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
