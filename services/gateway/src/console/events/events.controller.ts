import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HttpProblem } from '../../http/http-problem.ts';
import { LiveStatus } from './live-status.ts';

/** What changes, as server-sent events. */
@Controller('v1')
export class EventsController {
  constructor(private readonly live: LiveStatus) {}

  /**
   * `event: status` carries what `GET /v1/status` answers, whenever it has changed and at most once a second. A reader
   * that is slow gets the newest and misses what lay between.
   */
  @Get('events')
  events(@Res() reply: FastifyReply): void {
    if (!this.live.hasRoom) {
      throw new HttpProblem({
        status: 429,
        code: 'too_many_readers',
        what: 'Too many pages watch this gateway now.',
        todo: 'Close some, or ask GET /v1/status now and then.',
        retryAfterSeconds: 10,
      });
    }
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    });
    this.live.add(reply.raw);
  }
}
