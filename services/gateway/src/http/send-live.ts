import type { FastifyReply } from 'fastify';

/** A reader that takes nothing for this long is let go, in ms. */
const PATIENCE_MS = 60_000;

/** Aborts when the reader of an answer has gone. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  if (reply.raw.destroyed) gone.abort();
  return gone.signal;
}

/**
 * Answers with one JSON object a line, each sent as it is made, at the pace of the reader: while it does not read, nothing
 * is made. The first object is made before the first byte goes out, so that what fails at once still gets its own status.
 */
export async function sendLive(reply: FastifyReply, objects: AsyncIterable<unknown>): Promise<void> {
  const iterator = objects[Symbol.asyncIterator]();
  try {
    let result = await iterator.next();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    });
    for (; result.done !== true && !raw.destroyed; result = await iterator.next()) {
      if (!raw.write(`${JSON.stringify(result.value)}\n`) && !(await drained(raw))) {
        raw.destroy();
        return;
      }
    }
    raw.end();
  } catch (error) {
    if (!reply.raw.headersSent) throw error;
    // What was begun can only be broken off: without its end the reader knows.
    reply.raw.destroy();
  } finally {
    await iterator.return?.();
  }
}

/** @returns false when nothing was read for too long; true when something was, or the reader has gone */
function drained(raw: FastifyReply['raw']): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (inTime: boolean) => () => {
      clearTimeout(timer);
      raw.off('drain', ended);
      raw.off('close', ended);
      resolve(inTime);
    };
    const ended = done(true);
    const timer = setTimeout(done(false), PATIENCE_MS);
    raw.once('drain', ended);
    raw.once('close', ended);
    if (raw.destroyed) ended();
  });
}
