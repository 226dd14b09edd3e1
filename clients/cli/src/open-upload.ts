import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveError, packFiles, readFolder } from '@tidemark/packages';
import { UnreadableFileError } from './file-errors.ts';

/** What is sent to the gateway. */
export interface Upload {
  /** By which it is asked for later. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Undefined where it isn't known. */
  readonly sizeBytes: number | undefined;
  content(onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>;
}

const GZIP = [0x1f, 0x8b];
const LINES = 'application/x-ndjson';
const ARCHIVES: readonly (readonly [RegExp, string])[] = [
  [/\.zip$/i, 'application/zip'],
  [/\.tar$/i, 'application/x-tar'],
  [/\.(tar\.gz|tgz)$/i, 'application/gzip'],
];

/**
 * Opens what a user names: JSON Lines (gzip is seen from its first bytes), an archive of a problem package, or the
 * package's folder, which is packed. `-` is standard input.
 *
 * @param takesPackages whether archives and folders may be sent
 */
export async function openUpload(file: string, takesPackages: boolean): Promise<Upload> {
  if (file === '-') return linesOf('stdin', undefined, process.stdin, false);
  const found = await stat(file);
  const name = basename(resolve(file));
  if (found.isDirectory()) {
    // Some file systems open a folder, and fail at the first read without naming it.
    if (!takesPackages) throw new UnreadableFileError(`${file} is a folder, not a file`);
    return await packed(file, name);
  }
  const archive = takesPackages ? ARCHIVES.find(([ending]) => ending.test(file))?.[1] : undefined;
  if (archive !== undefined) {
    const raw = () => createReadStream(file);
    return { name, type: archive, sizeBytes: found.size, content: (onBytes) => counted(name, raw(), false, onBytes) };
  }
  return linesOf(name, found.size, createReadStream(file), await isGzip(file));
}

const linesOf = (name: string, sizeBytes: number | undefined, raw: Readable, gzip: boolean): Upload => ({
  name,
  type: LINES,
  sizeBytes,
  content: (onBytes) => counted(name, raw, gzip, onBytes),
});

async function packed(folder: string, name: string): Promise<Upload> {
  let bytes: Uint8Array;
  try {
    bytes = await packFiles(await readFolder(folder));
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    const { path, reason, advice } = error;
    throw new UnreadableFileError(`${path === '' ? folder : `${folder}: ${path}`} ${reason}. ${advice}.`, {
      cause: error,
    });
  }
  async function* content(onBytes: (bytes: number) => void) {
    onBytes(bytes.length);
    yield bytes;
  }
  return { name, type: 'application/gzip', sizeBytes: bytes.length, content };
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  const start = new Uint8Array(2);
  try {
    await handle.read(start, 0, 2, 0);
  } finally {
    await handle.close();
  }
  const gzip = GZIP.every((byte, at) => start[at] === byte);
  if (!gzip && extname(file) === '.gz') {
    const todo = 'compress it, or take the .gz off its name where it is plain text';
    throw new UnreadableFileError(`${basename(file)} is named .gz and is not gzip: ${todo}`);
  }
  return gzip;
}

/** The content, with the bytes of the file counted as they are read. */
async function* counted(
  name: string,
  raw: Readable,
  gzip: boolean,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  raw.on('data', (chunk: Uint8Array) => onBytes(chunk.length));
  raw.pause();
  if (!gzip) {
    yield* raw as AsyncIterable<Uint8Array>;
    return;
  }
  const gunzip = createGunzip();
  raw.on('error', (error) => gunzip.destroy(error));
  try {
    yield* raw.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isGzipError(error) ? new UnreadableFileError(gzipText(name, error), { cause: error }) : error;
  }
}

type GzipError = Error & { readonly code: string };

const isGzipError = (error: unknown): error is GzipError =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

const gzipText = (name: string, { code, message }: GzipError): string =>
  code === 'Z_BUF_ERROR'
    ? `the gzip of ${name} is cut off: its end is missing; make it or fetch it again`
    : `the gzip of ${name} is damaged (${message}); make it or fetch it again`;
