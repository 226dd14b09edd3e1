import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CuratedJson } from '../curated/curated-json.ts';
import { callerOf } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { SelectClient } from './select-client.ts';

const batchSchema = z.strictObject({
  count: z.number().int().min(1).max(10_000).default(64),
  /** How long the leases hold; 0 for the default of ten minutes. */
  lease_seconds: z.number().min(0).max(86_400).default(0),
});

const returnSchema = z.strictObject({ lease_ids: z.array(z.string().min(1).max(200)).min(1).max(10_000) });

/** The problems that are worth most now, leased to one trainer. */
@Controller('v1/targets')
export class BatchesController {
  constructor(
    private readonly select: SelectClient,
    private readonly targets: Targets,
    private readonly json: CuratedJson,
  ) {}

  @Post(':slug/batches')
  async next(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { count, lease_seconds } = await readJson(request, batchSchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const leaseMs = Math.round(lease_seconds * 1_000);
    const batch = await this.select.nextBatch({ target, count, leaseMs, holder: callerOf(request).name });
    const problems: object[] = [];
    for (const { leaseId, problem } of batch.problems) {
      if (problem !== undefined) problems.push({ lease_id: leaseId, ...(await this.json.whole(problem)) });
    }
    await reply.status(200).send({
      target,
      batch: Number(batch.batch),
      expires_at: new Date(Number(batch.expiresAtMs)).toISOString(),
      working_set: batch.workingSet,
      problems,
    });
  }

  @Post(':slug/leases/return')
  async return(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { lease_ids } = await readJson(request, returnSchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const { returned } = await this.select.returnLeases(target, lease_ids);
    await reply.status(200).send({ target, returned });
  }
}
