import { hash, randomBytes } from 'node:crypto';
import { link, mkdir, open, opendir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { BlobDamagedError, BlobMissingError, BlobStore, type StoredBlob } from './blob-store.ts';
import { ByteCache } from './byte-cache.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface FolderBlobStoreOptions {
  /** Uncompressed bytes kept in memory. Default 32 MiB. */
  readonly cacheBytes?: number;
}

/** Ends the name of a blob that is being removed. */
const REMOVING = '.removing';
/** A removal takes no longer than this, or its process died, in ms. */
const REMOVAL_MS = 60_000;

/**
 * Blobs as files `<folder>/<2 hex>/<2 hex>/<sha256>.zst`. A blob is written beside its place, synced, renamed into it,
 * and the folder synced: a crash leaves no half blob under its name. Several processes may share the folder.
 *
 * A file's modification time says when its blob was put last. Putting what is there sets it; removing first takes the file
 * out of the way and then looks at that time: whoever put it before finds it back in its place, whoever puts it later
 * writes it anew. A process that dies between the two leaves the file beside its place, where readers find it and the next
 * listing puts it back. So no blob is lost that somebody believes to have stored.
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
    if (!(await refresh(path))) await this.write(path, await compress(bytes));
    // Another process may have renamed it into place and not synced the folder yet.
    else if (!this.cache.has(sha256)) await syncFolder(dirname(path));
    this.cache.set(sha256, bytes);
    return sha256;
  }

  async *list(): AsyncIterable<StoredBlob> {
    for await (const path of filesBelow(this.folder, 2)) {
      if (path.endsWith(REMOVING)) await putBack(path);
      const sha256 = /^([0-9a-f]{64})\.zst$/.exec(basename(path))?.[1];
      if (sha256 === undefined) continue;
      const found = await statOf(path);
      if (found !== undefined) yield { sha256, storedBytes: found.size, putAtMs: found.mtimeMs };
    }
  }

  async remove(sha256: string, putBeforeMs: number): Promise<boolean> {
    const path = this.pathOf(sha256);
    const aside = `${path}.${randomBytes(6).toString('hex')}${REMOVING}`;
    if (((await statOf(path))?.mtimeMs ?? Infinity) >= putBeforeMs) return false;
    try {
      await rename(path, aside);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    const stays = ((await statOf(aside))?.mtimeMs ?? Infinity) >= putBeforeMs;
    // A blob that was put anew meanwhile is the same one.
    if (stays) await link(aside, path).catch(unless('EEXIST', 'ENOENT'));
    await rm(aside, { force: true });
    await syncFolder(dirname(path));
    this.cache.delete(sha256);
    return !stays;
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
    const stored = await this.stored(sha256);
    try {
      return await decompress(stored);
    } catch (error) {
      throw new BlobDamagedError(sha256, { cause: error });
    }
  }

  /** What is out of the way, until it is seen that it stays, is found beside its place. */
  private async stored(sha256: string): Promise<Buffer> {
    const path = this.pathOf(sha256);
    try {
      return await readFile(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const aside = await asideOf(path);
      const found = aside === undefined ? undefined : await readFile(aside).catch(unless('ENOENT'));
      // It may have been put back between the looks.
      const again = found ?? (await readFile(path).catch(unless('ENOENT')));
      if (again === undefined) throw new BlobMissingError(sha256, { cause: error });
      return again;
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

/** @returns false when it is not there */
async function refresh(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const statOf = (path: string) => stat(path).catch(unless('ENOENT'));

async function asideOf(path: string): Promise<string | undefined> {
  const names = (await readdir(dirname(path)).catch(unless('ENOENT'))) ?? [];
  const name = names.find((each) => each.startsWith(`${basename(path)}.`) && each.endsWith(REMOVING));
  return name === undefined ? undefined : join(dirname(path), name);
}

/** Its process died: whether the blob was to stay is not known, so it stays. */
async function putBack(aside: string): Promise<void> {
  const found = await statOf(aside);
  if (found === undefined || Date.now() - found.ctimeMs < REMOVAL_MS) return;
  const path = aside.slice(0, aside.lastIndexOf('.', aside.length - REMOVING.length - 1));
  await link(aside, path).catch(unless('EEXIST', 'ENOENT'));
  await rm(aside, { force: true });
}

/** Files that lie `depth` folders down; leftovers of a process that died among them. */
async function* filesBelow(folder: string, depth: number): AsyncIterable<string> {
  const entries = await opendir(folder).catch(unless('ENOENT'));
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (depth > 0 && entry.isDirectory()) yield* filesBelow(path, depth - 1);
    else if (depth === 0 && entry.isFile()) yield path;
  }
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** For `catch`: undefined for an error of these codes, every other one goes on. */
const unless =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (!codes.includes(String(codeOf(error)))) throw error;
  };
