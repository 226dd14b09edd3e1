import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readJson } from '../http/read-body.ts';
import { OperatorWithdrawals, type WithdrawalJson } from './operator-withdrawals.ts';

const withdrawSchema = z.strictObject({
  /** Shown in the problem's story. */
  reason: z.string().trim().min(1).max(2_000),
  all_versions: z.boolean().default(false),
});

/** Operators take a problem out of the stream, whoever offered it, and let it in again. */
@Controller('v1/problems/:id')
export class OperatorWithdrawalsController {
  constructor(private readonly withdrawals: OperatorWithdrawals) {}

  /** 202: it is written; leases are void and working sets are without it as soon as select has read it. */
  @Post('withdraw')
  @HttpCode(202)
  async withdraw(@Param('id') id: string, @Req() request: FastifyRequest): Promise<WithdrawalJson> {
    const { reason, all_versions } = await readJson(request, withdrawSchema);
    return await this.withdrawals.withdraw(id, reason, all_versions);
  }

  @Post('restore')
  @HttpCode(202)
  async restore(@Param('id') id: string, @Req() request: FastifyRequest): Promise<WithdrawalJson> {
    await readJson(request, z.strictObject({}));
    return await this.withdrawals.restore(id);
  }
}
