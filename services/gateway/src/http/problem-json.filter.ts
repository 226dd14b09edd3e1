import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { classifyFault, InjectLogger } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { HttpProblem, type HttpProblemDetails, problemJson } from './http-problem.ts';

/** Turns whatever a controller throws into `application/problem+json`; what was not foreseen is logged, not shown. */
@Catch()
export class ProblemJsonFilter implements ExceptionFilter {
  constructor(@InjectLogger() private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // The caller went away in the middle of its request: nobody is left to tell.
    if (request.raw.destroyed && !request.raw.readableEnded && request.socket.destroyed) {
      reply.hijack();
      return;
    }
    const details = detailsOf(thrown);
    if (details.status >= 500 && !(thrown instanceof HttpProblem)) {
      const error = thrown instanceof Error ? thrown.stack : String(thrown);
      this.logger.error({ method: request.method, path: pathOf(request), error }, 'request failed');
    }
    // The answer may be on its way already: a broken stream has no room for another.
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    // A body that was not read to its end would be taken for the next request.
    if (!request.raw.readableEnded) void reply.header('connection', 'close');
    sendProblem(request, reply, details);
  }
}

/** Answers with a problem, and when to come back. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, details: HttpProblemDetails): void {
  if (details.retryAfterSeconds !== undefined) void reply.header('retry-after', String(details.retryAfterSeconds));
  void reply
    .status(details.status)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemJson(details, pathOf(request))));
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? request.url;

/** What a caller is told of whatever was thrown. */
export function detailsOf(thrown: unknown): HttpProblemDetails {
  if (thrown instanceof HttpProblem) return thrown.details;
  if (thrown instanceof HttpException && thrown.getStatus() < 500) {
    const status = thrown.getStatus();
    return status === 404
      ? {
          status,
          code: 'unknown_path',
          what: 'Nothing is served at this path.',
          todo: 'See docs/http.md for the paths.',
        }
      : { status, code: 'bad_request', what: thrown.message, todo: 'See docs/http.md for what is expected.' };
  }
  const status = statusOf(thrown);
  if (status !== undefined && status < 500) {
    const what = thrown instanceof Error ? thrown.message : 'The request could not be read.';
    return { status, code: 'bad_request', what, todo: 'See docs/http.md for what is expected.' };
  }
  const fault = classifyFault(thrown);
  if (fault.kind === 'dependency') {
    return {
      status: 503,
      code: 'dependency_unavailable',
      what: `What the gateway needs does not answer (${fault.dependency}).`,
      todo: 'Send the request again in a few seconds; what was taken already is known again.',
      retryAfterSeconds: 2,
    };
  }
  return {
    status: 500,
    code: 'internal_error',
    what: 'Something failed here that was not foreseen.',
    todo: 'Try again; if it stays, look into the log of the gateway at this time.',
  };
}

/** Fastify's own errors carry a status. */
function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}
