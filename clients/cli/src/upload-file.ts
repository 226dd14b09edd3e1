import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CommandContext } from './context.ts';
import { show } from './format/table.ts';
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
  const size = file === '-' ? undefined : (await stat(file)).size;
  const sent = { bytes: 0 };
  const content = counted(await openFile(file), (bytes) => {
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
  for await (const answer of answers) {
    if (output.json) await output.object({ file: name, ...answer });
    if (answer.outcome === 'summary') return { file: name, accepted, refused, repeated: answer.repeated === true };
    if (answer.outcome === 'accepted') accepted += 1;
    else {
      refused += 1;
      if (!output.json) output.note(refusalText(name, answer));
    }
    output.progress(`${name}: ${accepted + refused} records`);
  }
  throw new Error(
    `${name}: the gateway stopped after ${accepted + refused} records; sending the file again is harmless`,
  );
}

/** `set.jsonl:7: statement is missing. What to do.` */
function refusalText(file: string, { line, field, reason, do: todo }: Json): string {
  const what = [show(field), show(reason)].filter((part) => part !== '').join(' ');
  return `${file}:${show(line)}: ${what}. ${show(todo)}`;
}

function progressText(name: string, bytes: number, total: number | undefined): string {
  const mebibytes = (value: number) => `${(value / 2 ** 20).toFixed(1)} MiB`;
  return total === undefined || total === 0
    ? `${name}: ${mebibytes(bytes)}`
    : `${name}: ${Math.min(100, Math.floor((100 * bytes) / total))}% of ${mebibytes(total)}`;
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
  return { raw: createReadStream(file), gzip: GZIP.every((byte, at) => start[at] === byte) };
}

/** The content, with the bytes of the file counted as they are read. */
async function* counted(
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
  yield* raw.pipe(gunzip) as AsyncIterable<Uint8Array>;
}
