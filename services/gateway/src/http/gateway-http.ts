import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { classifyFault, InjectLogger } from '@tidemark/stage-runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Admission } from '../access/admission.ts';
import { setCaller } from '../access/caller.ts';
import { httpRules } from '../access/rules.ts';
import { detailsOf, sendProblem } from './problem-json.filter.ts';
import { servedRoutes } from './served-routes.ts';

/** Makes the server the gateway's: who may speak to it, and bodies that controllers read themselves, at their pace. */
@Injectable()
export class GatewayHttp implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly modules: ModulesContainer,
    private readonly admission: Admission,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** @throws Error for a route without a rule: nobody has said who may use it */
  onModuleInit(): void {
    const unruled = servedRoutes(this.modules).filter((route) => httpRules[route] === undefined);
    if (unruled.length > 0) throw new Error(`routes without a rule in access/rules.ts: ${unruled.join(', ')}`);
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request, reply) => this.admit(request, reply));
    // Every body is a stream: size limits and JSON errors are then ours, and an upload never has to fit in memory.
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { headers } = request;
    const action = `${request.method === 'HEAD' ? 'GET' : request.method} ${request.routeOptions.url ?? ''}`;
    const rule = httpRules[action];
    try {
      const admitted = await this.admission.enter({
        action,
        rule,
        host: headers.host,
        origin: headers.origin,
        fetchSite: headers['sec-fetch-site']?.toString(),
        localAddress: request.socket.localAddress,
        authorization: headers.authorization,
      });
      if (admitted === undefined) return;
      const { caller, leave } = admitted;
      whenClosed(reply, leave);
      setCaller(request, caller);
      if (rule === undefined) return;
      const ended = await this.admission.permit(caller, { action, rule, subject: namesOf(request.params) });
      whenClosed(reply, () => ended(reply.raw.headersSent ? String(reply.raw.statusCode) : 'abandoned'));
    } catch (error) {
      const details = detailsOf(error);
      if (details.status >= 500) this.logger.error({ action, error: classifyFault(error).message }, 'admission failed');
      if (details.status === 401) void reply.header('www-authenticate', 'Bearer');
      sendProblem(request, reply.header('connection', 'close'), details);
      await reply;
    }
  }
}

/** Calls back when the answer is out or the client is gone, also when it went before this was asked. */
function whenClosed({ raw }: FastifyReply, callback: () => void): void {
  if (raw.destroyed) callback();
  else raw.once('close', callback);
}

function namesOf(params: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries((params ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).slice(0, 500)]));
}
