import { fromBinary } from '@bufbuild/protobuf';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { Bin, CuratedProblemSchema } from '@tidemark/proto';
import { StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readQuery } from '../http/read-body.ts';
import { sendNdjson } from '../http/send-ndjson.ts';
import { binNames } from '../read-model/decide-placement.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { CuratedJson, curatedSummary } from './curated-json.ts';
import { parquetFile } from './snapshot.ts';

const PAGE = 200;

const querySchema = z.object({
  bin: z.enum(binNames).optional(),
  limit: z.coerce.number().int().min(1).max(1_000_000).optional(),
  /** `summary` leaves statement, tests and facets out. */
  view: z.enum(['whole', 'summary']).default('whole'),
});

const snapshotSchema = z.object({ format: z.enum(['jsonl', 'parquet']).default('jsonl') });

/** The working set of a target as it is now. */
@Controller('v1/targets')
export class CuratedController {
  constructor(
    private readonly database: StageDatabase,
    private readonly targets: Targets,
    private readonly json: CuratedJson,
  ) {}

  /** NDJSON in rank order. It may be read, abandoned and read again at will: nothing is leased. */
  @Get(':slug/curated')
  async read(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request, querySchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    await sendNdjson(reply, this.problems(target, query));
  }

  /** The same as a file: JSON Lines or Parquet. */
  @Get(':slug/snapshot')
  async snapshot(
    @Param('slug') slug: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { format } = readQuery(request, snapshotSchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const problems = this.problems(target, { view: 'whole' });
    void reply.header('content-disposition', `attachment; filename="${target}.${format}"`);
    if (format === 'jsonl') {
      await sendNdjson(reply, problems);
      return;
    }
    const file = await parquetFile(problems);
    const { size } = await file.stat();
    await reply
      .type('application/vnd.apache.parquet')
      .header('content-length', size)
      .send(file.createReadStream({ start: 0, highWaterMark: 256 * 1024 }));
  }

  private async *problems(target: string, { bin, limit, view }: z.output<typeof querySchema>): AsyncGenerator<object> {
    const binNumber = bin === undefined ? null : Bin[bin.toUpperCase() as keyof typeof Bin];
    let after: { value: number; id: string } | undefined;
    for (let left = limit ?? Number.POSITIVE_INFINITY, rank = 1; left > 0; ) {
      const rows = await this.database.query<{ problem_id: string; value: number; message: Buffer }>(
        `SELECT problem_id, value, message FROM curated
         WHERE target = $1 AND ($2::smallint IS NULL OR bin = $2)
           AND ($3::float8 IS NULL OR value < $3 OR (value = $3 AND problem_id > $4))
         ORDER BY value DESC, problem_id LIMIT $5`,
        [target, binNumber, after?.value ?? null, after?.id ?? null, Math.min(PAGE, left)],
      );
      for (const { message } of rows) {
        const problem = fromBinary(CuratedProblemSchema, message);
        yield { rank: rank++, ...(view === 'summary' ? curatedSummary(problem) : await this.json.whole(problem)) };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = { value: last.value, id: last.problem_id };
      left -= rows.length;
    }
  }
}
