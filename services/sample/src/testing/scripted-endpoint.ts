import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as the endpoint saw it. */
export interface SeenCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model?: string;
    readonly n?: number;
    readonly seed?: number;
    readonly prompt?: string;
    readonly messages?: readonly { readonly content: string }[];
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
  };
  /** Number of the call, from 1. */
  readonly number: number;
}

/** What a call is answered with; `hang` never answers. */
export type ScriptedAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text?: string }
  | { readonly choices: readonly string[]; readonly finish?: string | null; readonly usage?: object }
  | 'hang';

/** An OpenAI-compatible endpoint on a free loopback port that does what a spec says. */
export class ScriptedEndpoint {
  readonly seen: SeenCall[] = [];
  private server: Server | undefined;
  private port = 0;

  constructor(private script: (call: SeenCall) => ScriptedAnswer) {}

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  behave(script: (call: SeenCall) => ScriptedAnswer): void {
    this.script = script;
  }

  /** Starts it, again on the port that it had. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as SeenCall['body'];
        const call = { path: request.url ?? '', headers: request.headers, body, number: this.seen.length + 1 };
        this.seen.push(call);
        answer(response, call, this.script(call));
      });
    });
    await new Promise<void>((listening) => server.listen(this.port, '127.0.0.1', listening));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}

function answer(response: ServerResponse, call: SeenCall, scripted: ScriptedAnswer): void {
  if (scripted === 'hang') return;
  if ('status' in scripted) {
    response.writeHead(scripted.status, scripted.headers);
    response.end(scripted.text ?? '{"error": {"message": "no"}}');
    return;
  }
  const { finish = 'stop', usage } = scripted;
  const choices = scripted.choices.map((text, index) => ({
    index,
    finish_reason: finish,
    ...(call.path.endsWith('/chat/completions') ? { message: { role: 'assistant', content: text } } : { text }),
  }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ choices, ...(usage && { usage }) }));
}
