import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';
import { goneSignal, sendLive } from '../http/send-live.ts';
import { ProblemStates, recordNamesSchema } from './problem-states.ts';

/** What becomes of records, as it happens. */
@Controller('v1/submissions')
export class WatchController {
  constructor(private readonly states: ProblemStates) {}

  /** One state for each, in their order. */
  @Post('find')
  async find(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { records } = await readJson(request, recordNamesSchema);
    await reply.status(200).send({ problems: await this.states.find(callerOf(request), records) });
  }

  /** NDJSON: where each stands now, and each change from then on, until the reader leaves. */
  @Post('watch')
  async watch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { records } = await readJson(request, recordNamesSchema);
    await sendLive(reply, this.states.watch(callerOf(request), records, goneSignal(reply)));
  }
}
