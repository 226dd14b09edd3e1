import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CommandContext } from './context.ts';
import { Remarks } from './format/remarks.ts';
import { show } from './format/table.ts';
import { UnreadableFileError } from './file-errors.ts';
import type { Json } from './gateway-client.ts';

export interface UploadQuery {
  readonly format?: string | undefined;
  readonly namespace?: string | undefined;
  readonly origin?: string | undefined;
  readonly licence?: string | undefined;
}

/** How many records of a file were taken. */
export interface UploadResult {
  readonly file: string;
  readonly accepted: number;
  readonly refused: number;
  readonly repeated: boolean;
  /** Name of the upload, by which what became of it can be asked for. */
  readonly upload: string;
}

const GZIP = [0x1f, 0x8b];

/** Sends one file to the gateway and tells what became of each record. `-` is standard input. */
export async function uploadFile(
  { client, output }: CommandContext,
  path: '/v1/problems' | '/v1/rollouts',
  file: string,
  query: UploadQuery,
): Promise<UploadResult> {
  const name = file === '-' ? 'stdin' : basename(file);
  const size = file === '-' ? undefined : await sizeOf(file);
  const sent = { bytes: 0 };
  const content = counted(name, await openFile(file), (bytes) => {
    sent.bytes += bytes;
    output.progress(progressText(name, sent.bytes, size));
  });
  const answers = client.lines(path, {
    method: 'POST',
    query: { ...query, source_file: name },
    stream: { type: 'application/x-ndjson', content },
  });
  let accepted = 0;
  let refused = 0;
  const remarks = new Remarks();
  for await (const answer of answers) {
    if (output.json) await output.object({ file: name, ...answer });
    if (answer.outcome === 'summary') {
      if (!output.json) for (const remark of remarks.lines()) output.note(`${name}: ${remark}`);
      return { file: name, accepted, refused, repeated: answer.repeated === true, upload: show(answer.upload) };
    }
    if (answer.outcome === 'accepted') {
      accepted += 1;
      remarks.add(answer);
    } else {
      refused += 1;
      if (!output.json) for (const fault of faultsOf(answer)) output.note(faultText(name, answer.line, fault));
    }
    output.progress(`${name}: ${accepted + refused} records`);
  }
  throw new Error(
    `${name}: the gateway stopped after ${accepted + refused} records; sending the file again is harmless`,
  );
}

const faultsOf = (answer: Json): readonly Json[] => [
  answer,
  ...(Array.isArray(answer.more) ? (answer.more as readonly Json[]) : []),
];

/** `set.jsonl:7: statement is missing. What to do.` */
function faultText(file: string, line: unknown, { field, reason, do: todo }: Json): string {
  const what = [show(field), show(reason)].filter((part) => part !== '').join(' ');
  return `${file}:${show(line)}: ${what}. ${show(todo)}`;
}

function progressText(name: string, bytes: number, total: number | undefined): string {
  const mebibytes = (value: number) => `${(value / 2 ** 20).toFixed(1)} MiB`;
  return total === undefined || total === 0
    ? `${name}: ${mebibytes(bytes)}`
    : `${name}: ${Math.min(100, Math.floor((100 * bytes) / total))}% of ${mebibytes(total)}`;
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file);
  // Some file systems open a folder, and fail at the first read without naming it.
  if (found.isDirectory()) throw new UnreadableFileError(`${file} is a folder, not a file`);
  return found.size;
}

/** Opens a file, decompressing gzip, which is seen from its first bytes and not from its name. */
async function openFile(file: string): Promise<{ raw: Readable; gzip: boolean }> {
  if (file === '-') return { raw: process.stdin, gzip: false };
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
  return { raw: createReadStream(file), gzip };
}

/** The content, with the bytes of the file counted as they are read. */
async function* counted(
  name: string,
  { raw, gzip }: { raw: Readable; gzip: boolean },
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
