import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import { isTargetSlug, TARGET_SLUG_RULE } from '@tidemark/identity';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../gateway.config.ts';
import { conflict } from '../http/http-problem.ts';
import { readJson } from '../http/read-body.ts';
import { callerOf, roles } from './caller.ts';
import { LOCAL_NAME } from './callers.ts';
import { Tokens } from './tokens.ts';

export const newTokenSchema = z
  .strictObject({
    /** Under which its bearer's records and commands are written down. Several tokens may bear it, for a change of them. */
    name: z.string().regex(/^[\w.@-]{1,64}$/, 'must be 1 to 64 of letters, digits and _ . @ -'),
    roles: z.array(z.enum(roles)).min(1).max(roles.length),
    /** Targets of a trainer, by their slugs; they need not be declared yet. */
    targets: z
      .array(z.string().refine(isTargetSlug, { error: `must be ${TARGET_SLUG_RULE}` }))
      .max(1_000)
      .default([]),
    trusted_to_grade: z.boolean().default(false),
    expires_days: z.number().positive().max(3_650).optional(),
  })
  .refine(({ roles, targets }) => roles.includes('trainer') === targets.length > 0, {
    path: ['targets'],
    error: "a trainer's token names its targets, and no other does",
  })
  .refine(({ roles, trusted_to_grade }) => !trusted_to_grade || roles.includes('trainer'), {
    path: ['trusted_to_grade'],
    error: 'only a trainer reports verdicts',
  });

/** Access tokens, for operators. */
@Controller('v1/tokens')
export class TokensController {
  constructor(
    private readonly tokens: Tokens,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  @Get()
  async list(): Promise<object> {
    return { tokens: await this.tokens.list() };
  }

  /** 201 with the token, which is shown this once. */
  @Post()
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { trusted_to_grade, expires_days, ...asked } = await readJson(request, newTokenSchema);
    if ([LOCAL_NAME, this.config.tokenName].includes(asked.name)) {
      const what = `The name ${JSON.stringify(asked.name)} is the gateway's own.`;
      throw conflict('name_reserved', what, 'Choose another name.');
    }
    if (trusted_to_grade && this.config.macSecret === undefined) {
      throw conflict(
        'mac_secret_missing',
        'Nobody is trusted to grade without a TIDEMARK_GATEWAY_MAC_SECRET.',
        'Start gateway and ingest with that secret, or leave trusted_to_grade out.',
      );
    }
    const token = { ...asked, trustedToGrade: trusted_to_grade, expiresDays: expires_days };
    const created = await this.tokens.create(token, callerOf(request).name);
    await reply.status(201).header('cache-control', 'no-store').send(created);
  }

  @Delete(':id')
  revoke(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.tokens.revoke(id, callerOf(request).name);
  }
}
