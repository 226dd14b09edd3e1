import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { LeasedProblem } from '@tidemark/proto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CuratedJson } from '../curated/curated-json.ts';
import { callerOf } from '../access/caller.ts';
import { unusable } from '../http/http-problem.ts';
import { readJson, readQuery } from '../http/read-body.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { batchSchema, returnSchema } from './batch-requests.ts';
import { SelectClient } from './select-client.ts';

const replaySchema = z.object({ seed: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0) });

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
    const { count, lease_seconds, seed } = await readJson(request, batchSchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const leaseMs = Math.round(lease_seconds * 1_000);
    const batch = await this.select.nextBatch({
      target,
      count,
      leaseMs,
      holder: callerOf(request).name,
      seed: BigInt(seed),
    });
    const problems = await this.problemsOf(batch.problems);
    await reply.status(200).send({
      target,
      batch: Number(batch.batch),
      seed,
      expires_at: new Date(Number(batch.expiresAtMs)).toISOString(),
      working_set: batch.workingSet,
      problems,
    });
  }

  /** The same batch again; what was withdrawn since is named by id alone. */
  @Get(':slug/batches/:batch')
  async replay(
    @Param('slug') slug: string,
    @Param('batch') number: string,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const { seed } = readQuery(request, replaySchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const batch = await this.select.replayBatch(target, batchNumberOf(number), BigInt(seed));
    return {
      target,
      batch: Number(number),
      seed,
      expires_at: new Date(Number(batch.expiresAtMs)).toISOString(),
      problems: await this.problemsOf(batch.problems),
      withdrawn: batch.withdrawn,
    };
  }

  @Post(':slug/leases/return')
  async return(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { lease_ids } = await readJson(request, returnSchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const { returned } = await this.select.returnLeases(target, lease_ids);
    await reply.status(200).send({ target, returned });
  }

  private async problemsOf(leased: readonly LeasedProblem[]): Promise<object[]> {
    const problems: object[] = [];
    for (const { leaseId, problem } of leased) {
      if (problem !== undefined) problems.push({ lease_id: leaseId, ...(await this.json.whole(problem)) });
    }
    return problems;
  }
}

function batchNumberOf(text: string): bigint {
  if (/^[1-9]\d{0,14}$/.test(text)) return BigInt(text);
  const why = 'must be the number of a batch, from 1';
  throw unusable(
    'There can be no such batch.',
    [{ where: 'path.batch', why }],
    'Take the number that the batch came with.',
  );
}
