import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HttpProblem, tooLarge } from '../http/http-problem.ts';

/** An upload that has arrived whole. */
export interface SpooledBody {
  /** SHA-256 of the content, decompressed: 64 hexadecimal digits. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Reads it from its start. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Removes what was kept. */
  dispose(): Promise<void>;
}

export interface SpoolOptions {
  /** Of the content, decompressed. */
  readonly limitBytes: number;
  /** The `Content-Encoding`. */
  readonly encoding: string | undefined;
  /** Larger uploads are kept in a file. Default 1 MiB. */
  readonly memoryBytes?: number;
}

/**
 * Takes an upload in before anything is answered. Many clients (fetch, requests) send to the end before they read: were
 * answers written meanwhile, both sides would end up waiting for the other. And the hash of the whole names its records.
 *
 * @throws HttpProblem 400 not gzip, 413 above the limit, 415 another encoding
 */
export async function spoolBody(source: Readable, options: SpoolOptions): Promise<SpooledBody> {
  const hash = createHash('sha256');
  const memory: Uint8Array[] = [];
  let file: FileHandle | undefined;
  let sizeBytes = 0;
  let heldBytes = 0;
  const flush = async () => {
    file ??= await openSpoolFile();
    await file.writev(memory);
    memory.length = 0;
    heldBytes = 0;
  };
  const dispose = async () => {
    await file?.close();
  };
  try {
    for await (const chunk of decoded(source, options.encoding)) {
      sizeBytes += chunk.length;
      if (sizeBytes > options.limitBytes) {
        throw tooLarge('The upload', options.limitBytes, 'Split the file and send the parts one after the other.');
      }
      hash.update(chunk);
      memory.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes > (options.memoryBytes ?? 1024 * 1024)) await flush();
    }
    if (file !== undefined && memory.length > 0) await flush();
  } catch (error) {
    await dispose();
    throw error;
  }
  const spooled = file;
  return {
    sha256: hash.digest('hex'),
    sizeBytes,
    chunks: () => (spooled === undefined ? inMemory(memory) : fromStart(spooled)),
    dispose,
  };
}

/** A file without a name: however this process ends, nothing of the upload stays on the disk. */
async function openSpoolFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `tidemark-upload-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

const fromStart = (file: FileHandle): AsyncIterable<Uint8Array> =>
  file.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });

async function* inMemory(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* decoded(source: Readable, encoding: string | undefined): AsyncGenerator<Uint8Array> {
  const name = (encoding ?? 'identity').toLowerCase();
  if (name === 'identity' || name === '') {
    yield* source as AsyncIterable<Uint8Array>;
    return;
  }
  if (name !== 'gzip') {
    throw new HttpProblem({
      status: 415,
      code: 'unknown_encoding',
      what: `The content encoding ${JSON.stringify(name)} is not known.`,
      todo: 'Send the file as it is, or with "Content-Encoding: gzip".',
    });
  }
  try {
    const gunzip = createGunzip();
    source.on('error', (error) => gunzip.destroy(error));
    yield* source.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof HttpProblem || !isZlibError(error)) throw error;
    const why = error.message;
    throw new HttpProblem(
      {
        status: 400,
        code: 'invalid_gzip',
        what: 'The body is announced as gzip and is not.',
        faults: [{ where: 'body', why }],
        todo: 'Send it without "Content-Encoding", or compress it again.',
      },
      { cause: error },
    );
  }
}

const isZlibError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
