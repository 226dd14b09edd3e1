import { type Answer, fitAnswer, UnfitAnswerError } from '@tidemark/http-contract';
import type { z } from 'zod';
import { fileErrorText } from './file-errors.ts';
import type { CliConfig } from './cli.config.ts';

/** JSON that the gateway sends. */
export type Json = Readonly<Record<string, unknown>>;

/** The gateway's own word on what went wrong, or that it can't be reached. */
export class GatewayError extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 when there was no answer. */
    readonly status: number,
    readonly problem: Json,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'GatewayError';
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it stands. */
  readonly stream?: { readonly type: string; readonly content: AsyncIterable<Uint8Array> };
  readonly headers?: Readonly<Record<string, string>>;
}

/** HTTP to the gateway. */
export class GatewayClient {
  constructor(
    private readonly config: CliConfig,
    private readonly signal: AbortSignal,
  ) {}

  get url(): string {
    return this.config.url;
  }

  /** @throws GatewayError */
  async json(path: string, options: RequestOptions = {}): Promise<Json> {
    const response = await this.send(path, options);
    try {
      return (await response.json()) as Json;
    } catch (error) {
      if (this.signal.aborted || !(error instanceof SyntaxError)) throw error;
      throw this.noGateway('no JSON', response.status);
    }
  }

  /** An answer that is as the contract says. @throws GatewayError */
  async answer<S extends z.ZodType>(schema: S, path: string, options: RequestOptions = {}): Promise<Answer<S>> {
    const answer = await this.json(path, options);
    try {
      return fitAnswer(schema, answer);
    } catch (error) {
      if (!(error instanceof UnfitAnswerError)) throw error;
      const message = `What ${this.config.url}${path} answers is not what this release of tidemark expects (${error.faults.join('; ')}).`;
      const problem = { do: 'Use the command line of the release that the gateway is of.' };
      throw new GatewayError(message, 200, problem, { cause: error });
    }
  }

  /** Another program has the port. */
  private noGateway(what: string, status: number): GatewayError {
    const problem = { do: 'Set TIDEMARK_URL to where Tidemark runs.' };
    return new GatewayError(`What answers at ${this.config.url} is no Tidemark gateway (${what}).`, status, problem);
  }

  /** The lines of an NDJSON answer, as they come. @throws GatewayError */
  async *lines(path: string, options: RequestOptions = {}): AsyncGenerator<Json> {
    const response = await this.send(path, options);
    if (!(response.headers.get('content-type') ?? '').includes('ndjson')) {
      yield (await response.json()) as Json;
      return;
    }
    let rest = '';
    const decoder = new TextDecoder();
    try {
      const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
      for await (const chunk of chunks) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) if (line !== '') yield JSON.parse(line) as Json;
      }
    } catch (error) {
      if (this.signal.aborted) throw error;
      throw new GatewayError('The gateway broke its answer off.', 0, {}, { cause: error });
    }
    if (rest !== '') yield JSON.parse(rest) as Json;
  }

  private async send(path: string, options: RequestOptions): Promise<Response> {
    const response = await this.fetch(path, options);
    if (response.ok) return response;
    const text = await response.text();
    const problem = parseProblem(text);
    if (typeof problem.title !== 'string') throw this.noGateway(`status ${response.status}`, response.status);
    throw new GatewayError(problem.title, response.status, problem);
  }

  private async fetch(path: string, { method = 'GET', query = {}, body, stream, headers = {} }: RequestOptions) {
    const url = new URL(path, this.config.url);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const { token } = this.config;
    try {
      return await fetch(url, {
        method,
        signal: this.signal,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(stream !== undefined && { 'content-type': stream.type }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(stream !== undefined && { body: ReadableStream.from(stream.content), duplex: 'half' }),
      });
    } catch (error) {
      if (this.signal.aborted) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      // An upload can also fail where it is read.
      if (fileErrorText(cause) !== undefined) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      const todo = 'Start it with "tidemark start", or set TIDEMARK_URL to where it runs.';
      throw new GatewayError(`No gateway answers at ${this.config.url} (${why}).`, 0, { do: todo }, { cause: error });
    }
  }
}

function parseProblem(text: string): Json {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Json) : {};
  } catch {
    return {};
  }
}
