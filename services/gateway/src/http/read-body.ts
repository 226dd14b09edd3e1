import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { HttpProblem, tooLarge, unusable } from './http-problem.ts';

const SMALL_BODY_BYTES = 1024 * 1024;

/**
 * Reads a small body as JSON and checks it. An empty body counts as `{}`.
 *
 * @throws HttpProblem 400 not JSON, 413 above 1 MiB, 422 not what the schema wants
 */
export async function readJson<Schema extends z.ZodType>(
  request: FastifyRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = new TextDecoder().decode(await readBytes(request, SMALL_BODY_BYTES));
  return check(schema, text.trim() === '' ? {} : parse(text), 'body');
}

/** Checks the query string. @throws HttpProblem 422 */
export function readQuery<Schema extends z.ZodType>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  return check(schema, request.query ?? {}, 'query');
}

/** Reads a body to its end. @throws HttpProblem 413 */
export async function readBytes(request: FastifyRequest, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Left early, an ordinary iterator destroys the request, and with it the connection on which the answer would go.
  const body: AsyncIterable<Uint8Array> = request.raw.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) {
      request.raw.resume();
      throw tooLarge('The body', limitBytes, 'Send less in one request.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HttpProblem({
      status: 400,
      code: 'invalid_json',
      what: 'The body is not JSON.',
      faults: [{ where: 'body', why }],
      todo: 'Send one JSON object.',
    });
  }
}

/** Checks what a caller gave. @param place where it stands, for faults @throws HttpProblem 422 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => ({
    where: [place, ...path.map(String)].join('.'),
    why: message,
  }));
  throw unusable(
    `The ${place} holds something that can't be used.`,
    faults,
    'Correct the fields named and send it again.',
  );
}
