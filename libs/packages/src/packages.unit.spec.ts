import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArchiveError, packFiles, readArchive, readFolder } from './index.ts';

const utf8 = new TextEncoder();
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const small = { entries: 50, fileBytes: 5_000, totalBytes: 9_000 };

interface Entry {
  readonly name: string;
  readonly content?: string;
  readonly type?: 'symlink' | 'link' | 'fifo' | 'character-device';
  readonly to?: string;
}

describe('an archive', () => {
  it.each([
    ['tar', tarOf],
    ['gzipped tar', async (entries: readonly Entry[]) => gzipSync(await tarOf(entries))],
    ['zip', zipOf],
  ])('of kind %s is read, links within it followed', async (_kind, make) => {
    const bytes = await make([
      { name: 'p/a.txt', content: 'one' },
      { name: 'p/deep/b.txt', content: 'two' },
      { name: 'p/link', type: 'symlink', to: 'deep/b.txt' },
      { name: 'p/folder', type: 'symlink', to: './deep' },
      { name: '__MACOSX/p/._a.txt', content: 'clutter' },
    ]);
    const { name, files } = await readArchive(bytes, 'folder/sum.tar.gz');
    expect(name).toBe('sum');
    const found = [...files].map(([path, content]) => `${path}: ${text(content)}`).sort();
    expect(found).toEqual(['p/a.txt: one', 'p/deep/b.txt: two', 'p/folder/b.txt: two', 'p/link: two']);
  });

  it.each<[string, readonly Entry[], string]>([
    ['a path that leads out', [{ name: '../../etc/cron.d/x', content: 'x' }], 'unsafe_archive'],
    ['a path that leads out midway', [{ name: 'a/../../x', content: 'x' }], 'unsafe_archive'],
    ['an absolute path', [{ name: '/etc/passwd', content: 'x' }], 'unsafe_archive'],
    ['a path of another system', [{ name: 'a\\..\\..\\x', content: 'x' }], 'unsafe_archive'],
    ['a drive', [{ name: 'C:/x', content: 'x' }], 'unsafe_archive'],
    ['a link out', [{ name: 'p/passwd', type: 'symlink', to: '../../etc/passwd' }], 'unsafe_archive'],
    ['an absolute link', [{ name: 'p/passwd', type: 'symlink', to: '/etc/passwd' }], 'unsafe_archive'],
    ['a link to nothing', [{ name: 'p/x', type: 'symlink', to: 'y' }], 'unsafe_archive'],
    [
      'links in a circle',
      [
        { name: 'p/x', type: 'symlink', to: 'y' },
        { name: 'p/y', type: 'symlink', to: 'x' },
      ],
      'unsafe_archive',
    ],
    [
      'a path through a link',
      [
        { name: 'p', type: 'symlink', to: '/tmp' },
        { name: 'p/x', content: 'x' },
      ],
      'unsafe_archive',
    ],
    [
      'a file twice',
      [
        { name: 'x', content: '1' },
        { name: './x', content: '2' },
      ],
      'invalid_archive',
    ],
    ['a large file', [{ name: 'x', content: 'x'.repeat(6_000) }], 'too_large'],
    ['too much in all', ['a', 'b', 'c'].map((name) => ({ name, content: 'x'.repeat(4_000) })), 'too_large'],
    ['too many files', Array.from({ length: 60 }, (_, at) => ({ name: `f${at}`, content: '' })), 'too_large'],
    [
      'many links to one file',
      [
        { name: 'x', content: 'x'.repeat(3_000) },
        ...['a', 'b', 'c'].map((name) => ({ name, type: 'symlink' as const, to: 'x' })),
      ],
      'too_large',
    ],
    [
      'links to a folder of many files',
      [
        ...Array.from({ length: 20 }, (_, at) => ({ name: `d/f${at}`, content: '' })),
        ...['a', 'b'].map((name) => ({ name, type: 'symlink' as const, to: 'd' })),
      ],
      'too_large',
    ],
    ['folders without end', [{ name: `${'d/'.repeat(30)}x`, content: 'x' }], 'too_large'],
  ])('with %s is refused', async (_what, entries, code) => {
    for (const bytes of [await tarOf(entries), zipOf(entries)]) {
      await expect(readArchive(bytes, 'x.zip', small)).rejects.toMatchObject({ code });
    }
  });

  it.each(['fifo', 'character-device'] as const)('with a %s is refused', async (type) => {
    await expect(readArchive(await tarOf([{ name: 'x', type }]), 'x.tar')).rejects.toMatchObject({
      code: 'unsafe_archive',
    });
  });

  it('that unpacks to far more than its header says is stopped', async () => {
    const lying = zipOf([{ name: 'bomb', content: 'x'.repeat(50_000_000) }], 10);
    await expect(readArchive(lying, 'x.zip', small)).rejects.toBeInstanceOf(ArchiveError);
    const honest = zipOf([{ name: 'bomb', content: '0'.repeat(50_000_000) }]);
    expect(honest.length).toBeLessThan(100_000);
    await expect(readArchive(honest, 'x.zip', small)).rejects.toMatchObject({ code: 'too_large' });
    const gzipped = gzipSync(await tarOf([{ name: 'bomb', content: '0'.repeat(50_000_000) }]));
    await expect(readArchive(gzipped, 'x.tgz', small)).rejects.toMatchObject({ code: 'too_large' });
  });

  it.each([
    ['text', utf8.encode('no archive')],
    ['nothing', new Uint8Array()],
    ['a zip cut short', zipOf([{ name: 'x', content: 'abc' }]).subarray(0, 40)],
    ['a gzip of text', gzipSync('no archive at all')],
    ['a gzip cut short', gzipSync(utf8.encode('x'.repeat(10_000))).subarray(0, 30)],
  ])('that is %s is refused', async (_what, bytes) => {
    await expect(readArchive(bytes, 'x')).rejects.toMatchObject({ code: 'invalid_archive' });
  });
});

describe('a folder', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'tidemark-folder-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const make = (name: string, files: Readonly<Record<string, string>>) => {
    const folder = join(root, name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return folder;
  };

  it('is read with links that stay inside, and packed to the same bytes each time', async () => {
    const folder = make('good', { 'a/1.in': '1', 'b/x': '2', '.git/config': 'no' });
    symlinkSync('../a/1.in', join(folder, 'b', '1.in'));
    symlinkSync('a', join(folder, 'c'));
    const read = await readFolder(folder);
    expect(read.name).toBe('good');
    expect([...read.files.keys()].sort()).toEqual(['a/1.in', 'b/1.in', 'b/x', 'c/1.in']);
    const packed = await packFiles(read);
    expect(Buffer.compare(packed, await packFiles(await readFolder(folder)))).toBe(0);
    const again = await readArchive(packed, 'good.tgz');
    expect([...again.files].map(([path, content]) => [path.replace('good/', ''), text(content)]).sort()).toEqual(
      [...read.files].map(([path, content]) => [path, text(content)]).sort(),
    );
  });

  it.each([
    ['leads out', '/etc/passwd'],
    ['leads out by a relative path', '../../../../../../../../etc/passwd'],
    ['leads nowhere', 'not-there'],
    ['leads to the folder it lies in', '.'],
  ])('with a link that %s is refused', async (what, to) => {
    const folder = make(what.replaceAll(' ', '-'), { x: '1' });
    symlinkSync(to, join(folder, 'link'));
    await expect(readFolder(folder)).rejects.toMatchObject({ code: 'unsafe_archive', path: 'link' });
  });

  it('above the bounds is refused', async () => {
    await expect(readFolder(make('large', { x: 'x'.repeat(6_000) }), small)).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});

async function tarOf(entries: readonly Entry[]): Promise<Uint8Array> {
  const tar = pack();
  const done = (async () => {
    for (const { name, content = '', type = 'file', to } of entries) {
      const header = type === 'file' ? { name } : { name, type, ...(to === undefined ? {} : { linkname: to }) };
      await new Promise<void>((resolve) => tar.entry(header, type === 'file' ? content : '', () => resolve()));
    }
    tar.finalize();
  })();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  await done;
  return Buffer.concat(chunks);
}

/** A zip as a hostile hand may write it. @param saidSize uncompressed size in the headers, in place of the true one */
function zipOf(entries: readonly Entry[], saidSize?: number): Uint8Array {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, content = '', type, to } of entries) {
    const body = Buffer.from(type === 'symlink' ? (to ?? '') : content);
    const packed = deflateRawSync(body);
    const path = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(body), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(saidSize ?? body.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((type === 'symlink' ? 0o120_777 : 0o100_644) * 0x10000) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 3]), shared, rest, path]));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}
