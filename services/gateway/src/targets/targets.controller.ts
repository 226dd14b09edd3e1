import { Controller, Get, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, mayReadTarget } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';
import { checkpointSchema, settingsJson, targetSettingsSchema } from './target-settings.ts';
import { targetSlugOf } from './target-slug.ts';
import { Targets } from './targets.ts';

/** Declaring targets and their checkpoints. */
@Controller('v1/targets')
export class TargetsController {
  constructor(private readonly targets: Targets) {}

  /** 201 for a new target or version, 200 when the settings are in force already. */
  @Put(':slug')
  async declare(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const target = targetSlugOf(slug);
    const declaration = await this.targets.declare(target, await readJson(request, targetSettingsSchema));
    await reply.status(declaration.outcome === 'unchanged' ? 200 : 201).send({ target, ...declaration });
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const caller = callerOf(request);
    const targets = (await this.targets.list()).filter(({ target }) => mayReadTarget(caller, target));
    return {
      targets: targets.map(({ target, version, checkpoint, checkpointOrdinal, declaredAt, settings }) => ({
        target,
        version,
        checkpoint,
        checkpoint_ordinal: checkpointOrdinal,
        declared_at: declaredAt.toISOString(),
        settings: settingsJson(settings),
      })),
    };
  }

  @Post(':slug/checkpoints')
  async advance(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { checkpoint, ordinal } = await readJson(request, checkpointSchema);
    const target = targetSlugOf(slug);
    const { outcome, targetVersion, ...advance } = await this.targets.advance(target, checkpoint, ordinal);
    await reply
      .status(outcome === 'unchanged' ? 200 : 201)
      .send({ target, target_version: targetVersion, ...advance, outcome });
  }
}
