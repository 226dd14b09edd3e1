import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';
import { Withdrawals, withdrawalSchema } from './withdrawals.ts';

/** A producer takes a record back. */
@Controller('v1/problems')
export class WithdrawController {
  constructor(private readonly withdrawals: Withdrawals) {}

  /** 202: the withdrawal is on its way. */
  @Post('withdraw')
  async withdraw(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await readJson(request, withdrawalSchema);
    await reply.status(202).send(await this.withdrawals.withdraw(callerOf(request), asked));
  }
}
