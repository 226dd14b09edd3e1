import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type HttpOptions, InjectHttpOptions } from '@tidemark/stage-runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isConsoleFile } from '../console/site/open-to-all.ts';
import { decideAccess } from './decide-access.ts';
import { problemJson } from './http-problem.ts';

/** Open to probes, which hold no token and call from anywhere. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Makes the server the gateway's: who may speak to it, and bodies that controllers read themselves, at their pace. */
@Injectable()
export class GatewayHttp implements OnModuleInit {
  private readonly tokenMatches: ((given: string) => boolean) | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @InjectHttpOptions() http: HttpOptions | undefined,
  ) {
    this.tokenMatches = http?.accessToken === undefined ? undefined : constantTimeMatch(http.accessToken);
  }

  /** True when callers bear a token. */
  get hasToken(): boolean {
    return this.tokenMatches !== undefined;
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request, reply) => this.admit(request, reply));
    // Every body is a stream: size limits and JSON errors are then ours, and an upload never has to fit in memory.
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = request.url.split('?', 1)[0] ?? '';
    if (OPEN_PATHS.has(path)) return;
    if (this.hasToken && isConsoleFile(request.method, path)) return;
    const access = decideAccess(
      {
        host: request.headers.host,
        origin: request.headers.origin,
        authorization: request.headers.authorization,
        localAddress: request.socket.localAddress,
      },
      this.tokenMatches,
    );
    if (access.kind === 'allowed') return;
    if (access.status === 401) void reply.header('www-authenticate', 'Bearer');
    await reply
      .status(access.status)
      .header('connection', 'close')
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problemJson(access, path)));
  }
}

/** Compares hashes, so that neither the content nor the length of the token shows in the time taken. */
function constantTimeMatch(token: string): (given: string) => boolean {
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  const expected = hashOf(token);
  return (given) => timingSafeEqual(hashOf(given), expected);
}
