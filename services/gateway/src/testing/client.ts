import type { StageHarness } from '@tidemark/stage-runtime/testing';

/** HTTP against a gateway of a spec. */
export class TestClient {
  constructor(
    private readonly harness: StageHarness,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** Sends JSON, or a body as it stands where `headers` names its type. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    return await fetch(`${this.harness.service.address}${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    });
  }

  /** The answer's JSON, and its status. */
  async json(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await this.send(method, path, body);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Uploads lines and reads the answers. */
  async upload(
    path: string,
    lines: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Record<string, unknown>[]> {
    const response = await this.send('POST', path, lines, { 'content-type': 'application/x-ndjson', ...headers });
    return parseLines(await response.text());
  }

  /** The lines of an NDJSON answer. */
  async lines(path: string): Promise<Record<string, unknown>[]> {
    return parseLines(await (await this.send('GET', path)).text());
  }
}

export const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
