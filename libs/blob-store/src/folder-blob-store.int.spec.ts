import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlobDamagedError, BlobMissingError } from './blob-store.ts';
import { FolderBlobStore } from './folder-blob-store.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describe('a folder of blobs', () => {
  let folder: string;
  let store: FolderBlobStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-blobs-'));
    store = new FolderBlobStore(join(folder, 'blobs'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const files = () => readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true });
  const blobFile = async () => {
    const [file] = (await files()).filter((entry) => entry.isFile());
    if (file === undefined) throw new Error('no blob was written');
    return join(file.parentPath, file.name);
  };

  it('gives back what it was given, by hash, to another process too', async () => {
    const bytes = text('a test suite '.repeat(10_000));
    const name = await store.put(bytes);
    expect(name).toBe(sha256(bytes));
    expect(await store.get(name)).toEqual(bytes);
    expect(new Uint8Array(await new FolderBlobStore(join(folder, 'blobs')).get(name))).toEqual(bytes);
  });

  it('compresses, and leaves nothing but the blob behind', async () => {
    await store.put(text('x'.repeat(100_000)));
    const found = (await files()).filter((entry) => entry.isFile());
    expect(found.map(({ name }) => name)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.zst$/)]);
    expect((await readFile(await blobFile())).length).toBeLessThan(1_000);
  });

  it('stores the same bytes once, however many put them at the same time', async () => {
    const bytes = text('the same');
    const names = await Promise.all(
      Array.from({ length: 20 }, () => new FolderBlobStore(join(folder, 'blobs')).put(bytes)),
    );
    expect(new Set(names).size).toBe(1);
    expect((await files()).filter((entry) => entry.isFile())).toHaveLength(1);
  });

  const age = async (name: string, seconds: number) => {
    const at = new Date(Date.now() - seconds * 1_000);
    await utimes(join(folder, 'blobs', name.slice(0, 2), name.slice(2, 4), `${name}.zst`), at, at);
  };
  const listed = async () => {
    const names: string[] = [];
    for await (const blob of store.list()) names.push(blob.sha256);
    return names.sort();
  };

  it('lists what is there, with when it was put last', async () => {
    expect(await listed()).toEqual([]);
    const names = [await store.put(text('a')), await store.put(text('b'))];
    await writeFile(join(folder, 'blobs', names[0]?.slice(0, 2) ?? '', names[0]?.slice(2, 4) ?? '', 'rest.abc'), '');
    expect(await listed()).toEqual([...names].sort());
    for await (const { storedBytes, putAtMs } of store.list()) {
      expect(storedBytes).toBeGreaterThan(0);
      expect(Math.abs(Date.now() - putAtMs)).toBeLessThan(60_000);
    }
  });

  it('removes what was put before a time alone, and makes young what is put again, in the cache or not', async () => {
    const name = await store.put(text('old'));
    await age(name, 100);
    expect(await store.remove(name, Date.now() - 200_000)).toBe(false);
    await store.put(text('old'));
    expect(await store.remove(name, Date.now() - 50_000)).toBe(false);
    await age(name, 100);
    expect(await store.remove(name, Date.now() - 50_000)).toBe(true);
    expect(await store.remove(name, Date.now() - 50_000)).toBe(false);
    await expect(store.get(name)).rejects.toThrow(BlobMissingError);
    expect((await files()).filter((entry) => entry.isFile())).toEqual([]);
    // Another process has removed it: what is remembered here of having it is no blob.
    await store.put(text('old'));
    await age(name, 100);
    await new FolderBlobStore(join(folder, 'blobs')).remove(name, Date.now());
    await store.put(text('old'));
    expect(new Uint8Array(await new FolderBlobStore(join(folder, 'blobs')).get(name))).toEqual(text('old'));
  });

  it('loses no blob that somebody puts while it is removed', async () => {
    const bytes = text('wanted again');
    const name = await store.put(bytes);
    for (let round = 0; round < 150; round++) {
      await age(name, 100);
      const others = [store, new FolderBlobStore(join(folder, 'blobs')), new FolderBlobStore(join(folder, 'blobs'))];
      const before = Date.now() - 50_000;
      const [kept] = others;
      await Promise.all([
        ...others.map((other) => other.remove(name, before)),
        ...others.slice(1).map(async (other) => {
          await other.put(bytes);
          expect(new Uint8Array(await new FolderBlobStore(join(folder, 'blobs')).get(name))).toEqual(bytes);
        }),
      ]);
      expect(new Uint8Array((await kept?.get(name)) ?? [])).toEqual(bytes);
    }
    expect((await files()).filter((entry) => entry.isFile())).toHaveLength(1);
  });

  it('still reads a blob whose remover died half-way', async () => {
    const name = await store.put(text('half removed'));
    await rename(await blobFile(), `${await blobFile()}.0123456789ab.removing`);
    expect(new Uint8Array(await new FolderBlobStore(join(folder, 'blobs')).get(name))).toEqual(text('half removed'));
  });

  it('says that a blob is missing', async () => {
    await expect(store.get('0'.repeat(64))).rejects.toThrow(BlobMissingError);
  });

  it.each([
    ['garbage', Buffer.from('not compressed')],
    ['other content', undefined],
  ])('notices %s in the place of a blob', async (_, content) => {
    const name = await store.put(text('the truth'));
    await store.put(text('something else'));
    const other = (await files()).find((entry) => entry.isFile() && !entry.name.startsWith(name));
    const path = join(folder, 'blobs', name.slice(0, 2), name.slice(2, 4), `${name}.zst`);
    await writeFile(path, content ?? (await readFile(join(other?.parentPath ?? '', other?.name ?? ''))));
    await expect(new FolderBlobStore(join(folder, 'blobs')).get(name)).rejects.toThrow(BlobDamagedError);
  });

  it('takes no name that leads out of its folder', async () => {
    await expect(store.get('../../etc/passwd')).rejects.toThrow(TypeError);
  });
});
