import type { Readable } from 'node:stream';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { ArchiveError } from './archive-error.ts';
import { Allowance, isClutter, type PackageBounds, safePath } from './bounds.ts';
import { followLinks } from './links.ts';

const TYPE = 0o170_000;
const LINK = 0o120_000;
const REGULAR = 0o100_000;
const ENCRYPTED = 1;

/** The files of a zip. @throws ArchiveError */
export async function readZip(bytes: Uint8Array, bounds: PackageBounds): Promise<Map<string, Uint8Array>> {
  const zip = await opened(bytes);
  const allowance = new Allowance(bounds);
  const files = new Map<string, Uint8Array>();
  const links = new Map<string, string>();
  try {
    for await (const entry of zip.eachEntry()) {
      allowance.entry();
      const path = safePath(entry.fileName);
      if (entry.fileName.endsWith('/') || isClutter(path)) continue;
      if (files.has(path) || links.has(path)) throw twice(path);
      const isLink = checkKind(entry, path) === LINK;
      const content = await contentOf(zip, entry, path, allowance);
      if (isLink) links.set(path, new TextDecoder().decode(content));
      else files.set(path, content);
    }
  } catch (error) {
    throw asArchiveError(error);
  } finally {
    zip.close();
  }
  followLinks(files, links, allowance);
  return files;
}

async function opened(bytes: Uint8Array): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const options = {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: true,
      validateEntrySizes: true,
      strictFileNames: true,
    };
    fromBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), options, (error, zip) => {
      if (error) reject(asArchiveError(error));
      else resolve(zip);
    });
  });
}

/** @returns the kind of file; 0 where the archive was made on a system without kinds */
function checkKind(entry: Entry, path: string): number {
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) {
    throw new ArchiveError('invalid_archive', path, 'is encrypted', 'Pack it without a password');
  }
  const isUnix = entry.versionMadeBy >> 8 === 3;
  const kind = isUnix ? (entry.externalFileAttributes >>> 16) & TYPE : 0;
  if (kind === 0 || kind === LINK || kind === REGULAR) return kind;
  throw new ArchiveError('unsafe_archive', path, 'is neither a file nor a folder', 'Pack files and folders alone');
}

async function contentOf(zip: ZipFile, entry: Entry, path: string, allowance: Allowance): Promise<Uint8Array> {
  // What the header says is enough to refuse; what it doesn't say is counted as it unpacks.
  if (entry.uncompressedSize > allowance.room()) allowance.take(path, entry.uncompressedSize, entry.uncompressedSize);
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    allowance.take(path, size, chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const twice = (path: string): ArchiveError =>
  new ArchiveError('invalid_archive', path, 'is in it twice', 'Pack each file once');

/** What a library says of bytes that are no archive. */
export function asArchiveError(error: unknown): Error {
  if (error instanceof ArchiveError || !(error instanceof Error)) return error as Error;
  const words = error.message.replaceAll(/\s+/g, ' ').slice(0, 200);
  // yauzl looks at names before anyone else sees them.
  if (/^(invalid relative path|absolute path|invalid characters in fileName)/.test(words)) {
    return new ArchiveError(
      'unsafe_archive',
      '',
      `names a file outside or oddly: ${words}`,
      'Name files by relative paths',
      {
        cause: error,
      },
    );
  }
  return new ArchiveError('invalid_archive', '', `can't be unpacked: ${words}`, 'Pack it again', { cause: error });
}
