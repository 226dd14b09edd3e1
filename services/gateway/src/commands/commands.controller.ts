import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { type CommandOrder, Commands } from './commands.ts';

const measureSchema = z.strictObject({
  /** Attempts a problem; 0 for the target's group size. */
  attempts: z.number().int().min(0).max(1_024).default(0),
});

/** Commands at a target, and what became of them. Answered with 202: the work is done elsewhere. */
@Controller('v1')
export class CommandsController {
  constructor(
    private readonly commands: Commands,
    private readonly targets: Targets,
  ) {}

  /** Evaluate a target now. */
  @Post('targets/:slug/evaluate')
  async evaluate(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await readJson(request, z.strictObject({}));
    const target = targetSlugOf(slug);
    const command = { case: 'evaluate' as const, value: { target } };
    await this.order({ service: 'calibrate', target, command }, request, reply);
  }

  /** Ask the target's endpoint for attempts at every ready problem. */
  @Post('targets/:slug/measure')
  async measure(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { attempts } = await readJson(request, measureSchema);
    const target = targetSlugOf(slug);
    const command = { case: 'measure' as const, value: { target, attempts } };
    await this.order({ service: 'calibrate', target, command }, request, reply);
  }

  @Get('commands/:id')
  find(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.commands.find(callerOf(request), id);
  }

  private async order(order: CommandOrder, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.targets.assertKnown(order.target);
    const key = request.headers['idempotency-key'];
    const command = await this.commands.request(callerOf(request), order, typeof key === 'string' ? key : undefined);
    await reply.status(202).header('location', `/v1/commands/${command.command_id}`).send(command);
  }
}
