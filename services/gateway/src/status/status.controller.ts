import { Controller, Get, Param, Req } from '@nestjs/common';
import { Bin } from '@tidemark/proto';
import { StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../http/http-problem.ts';
import { readQuery } from '../http/read-body.ts';
import { binName } from '../read-model/names.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { Placements } from './placements.ts';
import { Quiet } from './quiet.ts';
import { StatusReport } from './status-report.ts';

const movesSchema = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(100) });

/** Where everything stands. */
@Controller('v1')
export class StatusController {
  constructor(
    private readonly database: StageDatabase,
    private readonly report: StatusReport,
    private readonly quiet: Quiet,
    private readonly targets: Targets,
    private readonly placements: Placements,
  ) {}

  /** The funnel, the targets, the services, and whether all is quiet. */
  @Get('status')
  status(): Promise<object> {
    return this.report.read();
  }

  /** The bins of one target. */
  @Get('targets/:slug/bins')
  async bins(@Param('slug') slug: string): Promise<object> {
    const target = targetSlugOf(slug);
    const { settledAt } = await this.quiet.look();
    const counts = (await this.placements.counts(settledAt)).find((candidate) => candidate.target === target);
    if (counts === undefined) throw notFound('target', target, 'Declare it first: PUT /v1/targets/<slug>.');
    return counts;
  }

  /** The newest moves between bins, newest first. */
  @Get('targets/:slug/moves')
  async moves(@Param('slug') slug: string, @Req() request: FastifyRequest): Promise<object> {
    const target = targetSlugOf(slug);
    const { limit } = readQuery(request, movesSchema);
    await this.targets.assertKnown(target);
    const rows = await this.database.query<{
      problem_id: string;
      title: string | null;
      evaluation: bigint;
      from_bin: Bin;
      to_bin: Bin;
      reason: string;
      moved_at: Date | null;
    }>(
      `SELECT b.problem_id, p.title, b.evaluation, b.from_bin, b.to_bin, b.reason, b.moved_at
       FROM bin_move AS b LEFT JOIN problem AS p USING (problem_id)
       WHERE b.target = $1 ORDER BY b.evaluation DESC, b.problem_id LIMIT $2`,
      [target, limit],
    );
    return {
      target,
      moves: rows.map(({ from_bin, to_bin, evaluation, moved_at, title, ...row }) => ({
        ...row,
        title: title ?? '',
        evaluation: Number(evaluation),
        from: binName(from_bin),
        to: binName(to_bin),
        moved_at: moved_at?.toISOString() ?? null,
      })),
    };
  }
}
