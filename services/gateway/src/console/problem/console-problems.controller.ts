import { Controller, Get, Param, Req } from '@nestjs/common';
import { StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../../access/caller.ts';
import { readQuery } from '../../http/read-body.ts';
import { targetSlugOf } from '../../targets/target-slug.ts';
import { ProblemDetails } from './problem-details.ts';
import { ProblemTextReader } from './problem-texts.ts';

const testsSchema = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
const targetSchema = z.object({ target: z.string() });

/** What the console asks about one problem, beside its story. */
@Controller('v1/console')
export class ConsoleProblemsController {
  constructor(
    private readonly texts: ProblemTextReader,
    private readonly details: ProblemDetails,
    private readonly database: StageDatabase,
  ) {}

  @Get('problems/:id/texts')
  textsOf(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.texts.texts(callerOf(request), id);
  }

  @Get('problems/:id/tests')
  testsOf(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.texts.tests(callerOf(request), id, readQuery(request, testsSchema));
  }

  @Get('problems/:id/attempts')
  attemptsOf(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.details.attempts(callerOf(request), id, targetSlugOf(readQuery(request, targetSchema).target));
  }

  @Get('problems/:id/posterior')
  posteriorOf(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.details.posterior(id, targetSlugOf(readQuery(request, targetSchema).target));
  }

  @Get('problems/:id/cluster')
  clusterOf(@Param('id') id: string): Promise<object> {
    return this.details.cluster(id);
  }

  /** The namespaces that there are: one look into the index for each, however many problems there are. */
  @Get('sources')
  async sources(): Promise<object> {
    const rows = await this.database.query<{ namespace: string }>(
      `WITH RECURSIVE source AS (
         SELECT min(namespace) AS namespace FROM problem
         UNION ALL
         SELECT (SELECT min(namespace) FROM problem WHERE namespace > source.namespace) FROM source
         WHERE source.namespace IS NOT NULL
       )
       SELECT namespace FROM source WHERE namespace <> '' LIMIT 500`,
    );
    return { sources: rows.map(({ namespace }) => namespace) };
  }
}
