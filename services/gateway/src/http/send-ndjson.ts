import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const CHUNK_CHARACTERS = 32 * 1024;

/**
 * Answers with one JSON object a line, at the pace of the reader. The first object is made before the first byte goes
 * out, so that what fails at once still gets its own status. A reader that goes away ends the generator.
 *
 * @returns when the last byte went out, or the reader has gone
 */
export async function sendNdjson(reply: FastifyReply, objects: AsyncIterable<unknown>): Promise<void> {
  const iterator = objects[Symbol.asyncIterator]();
  const first = await iterator.next();
  await reply
    .status(200)
    .type('application/x-ndjson; charset=utf-8')
    .send(Readable.from(inChunks(first, iterator), { objectMode: false, highWaterMark: 2 * CHUNK_CHARACTERS }));
}

/** Several lines go out as one chunk. */
async function* inChunks(first: IteratorResult<unknown>, iterator: AsyncIterator<unknown>): AsyncGenerator<string> {
  try {
    let buffer = '';
    for (let result = first; result.done !== true; result = await iterator.next()) {
      buffer += `${JSON.stringify(result.value)}\n`;
      if (buffer.length < CHUNK_CHARACTERS) continue;
      yield buffer;
      buffer = '';
    }
    if (buffer !== '') yield buffer;
  } finally {
    await iterator.return?.();
  }
}
