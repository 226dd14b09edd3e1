import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { ArchiveError } from './archive-error.ts';
import { Allowance, isClutter, type PackageBounds, safePath } from './bounds.ts';
import { followLinks } from './links.ts';
import { asArchiveError, twice } from './read-zip.ts';

/** The files of a tar, compressed by gzip or not. @throws ArchiveError */
export async function readTar(
  bytes: Uint8Array,
  isGzip: boolean,
  bounds: PackageBounds,
): Promise<Map<string, Uint8Array>> {
  const allowance = new Allowance(bounds);
  const files = new Map<string, Uint8Array>();
  const links = new Map<string, string>();
  const tar = extract();
  const source = Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)], { objectMode: false });
  const unpacking = isGzip ? pipeline(source, createGunzip(), tar) : pipeline(source, tar);
  // The loop below meets the error as well, and says it.
  unpacking.catch(() => undefined);
  try {
    for await (const entry of tar) {
      allowance.entry();
      await takeEntry(entry, { files, links, allowance });
    }
    await unpacking;
  } catch (error) {
    tar.destroy();
    throw asArchiveError(error);
  }
  followLinks(files, links, allowance);
  return files;
}

type Entry = AsyncIterable<unknown> & { readonly header: Header };

async function takeEntry(
  entry: Entry,
  into: { readonly files: Map<string, Uint8Array>; readonly links: Map<string, string>; readonly allowance: Allowance },
): Promise<void> {
  const { header } = entry;
  const path = safePath(header.name);
  const isFile = header.type === 'file' || header.type === 'contiguous-file';
  if (header.type === 'directory' || path === '' || isClutter(path)) return drained(entry);
  if (!isFile && header.type !== 'symlink' && header.type !== 'link') {
    throw new ArchiveError(
      'unsafe_archive',
      path,
      `is a ${header.type ?? 'special file'}`,
      'Pack files and folders alone',
    );
  }
  if (into.files.has(path) || into.links.has(path)) throw twice(path);
  if (!isFile) {
    const target = header.linkname ?? '';
    // A hard link names its file from the archive's top.
    into.links.set(
      path,
      header.type === 'link' ? `${'../'.repeat(path.split('/').length - 1)}${safePath(target)}` : target,
    );
    return drained(entry);
  }
  if ((header.size ?? 0) > into.allowance.room()) into.allowance.take(path, header.size ?? 0, header.size ?? 0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of entry as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    into.allowance.take(path, size, chunk.length);
    chunks.push(chunk);
  }
  into.files.set(path, Buffer.concat(chunks));
}

async function drained(entry: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of entry);
}
