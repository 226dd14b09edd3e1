import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
