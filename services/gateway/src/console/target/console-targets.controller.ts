import { fromBinary } from '@bufbuild/protobuf';
import { Controller, Get, Param, Req } from '@nestjs/common';
import { Bin, CuratedProblemSchema } from '@tidemark/proto';
import { StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { curatedSummary } from '../../curated/curated-json.ts';
import { readQuery } from '../../http/read-body.ts';
import { binNames } from '../../read-model/decide-placement.ts';
import { binName } from '../../read-model/names.ts';
import { targetSlugOf } from '../../targets/target-slug.ts';
import { Targets } from '../../targets/targets.ts';
import { cursorOf, cursorSchema } from '../cursor.ts';

/** Points of a target's history that a page is given; between them others are left out evenly. */
const HISTORY_POINTS = 200;

const limit = z.coerce.number().int().min(1).max(500).default(100);
const workingSetSchema = z.object({
  bin: z.enum(binNames).optional(),
  limit,
  cursor: cursorSchema(z.tuple([z.number(), z.string(), z.number().int()])).optional(),
});
const movesSchema = z.object({
  limit,
  to: z.enum(binNames).optional(),
  cursor: cursorSchema(z.tuple([z.number().int(), z.string()])).optional(),
});

/** What the console asks about one target, page by page. */
@Controller('v1/console/targets')
export class ConsoleTargetsController {
  constructor(
    private readonly database: StageDatabase,
    private readonly targets: Targets,
  ) {}

  /** The working set in rank order. */
  @Get(':slug/working-set')
  async workingSet(@Param('slug') slug: string, @Req() request: FastifyRequest): Promise<object> {
    const query = readQuery(request, workingSetSchema);
    const target = await this.known(slug);
    const [value, id, rankBefore] = query.cursor ?? [null, null, 0];
    const rows = await this.database.query<{ problem_id: string; value: number; message: Buffer }>(
      `SELECT problem_id, value, message FROM curated
       WHERE target = $1 AND ($2::smallint IS NULL OR bin = $2)
         AND ($3::float8 IS NULL OR value < $3 OR (value = $3 AND problem_id > $4))
       ORDER BY value DESC, problem_id LIMIT $5`,
      [target, binOf(query.bin), value, id, query.limit + 1],
    );
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    return {
      target,
      problems: page.map(({ message }, index) => ({
        rank: rankBefore + index + 1,
        ...curatedSummary(fromBinary(CuratedProblemSchema, message)),
      })),
      next:
        rows.length > page.length && last !== undefined
          ? cursorOf([last.value, last.problem_id, rankBefore + page.length])
          : null,
    };
  }

  /** Moves between bins, newest first. */
  @Get(':slug/moves')
  async moves(@Param('slug') slug: string, @Req() request: FastifyRequest): Promise<object> {
    const query = readQuery(request, movesSchema);
    const target = await this.known(slug);
    const [evaluation, id] = query.cursor ?? [null, null];
    const rows = await this.database.query<{
      problem_id: string;
      title: string | null;
      namespace: string | null;
      record_id: string | null;
      evaluation: number;
      from_bin: Bin;
      to_bin: Bin;
      moved_at: Date | null;
    }>(
      `SELECT b.problem_id, p.title, p.namespace, p.record_id, b.evaluation::float8 AS evaluation, b.from_bin, b.to_bin,
         b.reason, b.moved_at
       FROM bin_move AS b LEFT JOIN problem AS p USING (problem_id)
       WHERE b.target = $1 AND ($2::smallint IS NULL OR b.to_bin = $2)
         AND ($3::bigint IS NULL OR b.evaluation < $3 OR (b.evaluation = $3 AND b.problem_id > $4))
       ORDER BY b.evaluation DESC, b.problem_id LIMIT $5`,
      [target, binOf(query.to), evaluation, id, query.limit + 1],
    );
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    return {
      target,
      moves: page.map(({ from_bin, to_bin, moved_at, ...row }) => ({
        ...row,
        title: row.title ?? '',
        namespace: row.namespace ?? '',
        record_id: row.record_id ?? '',
        from: binName(from_bin),
        to: binName(to_bin),
        moved_at: moved_at?.toISOString() ?? null,
      })),
      next: rows.length > page.length && last !== undefined ? cursorOf([last.evaluation, last.problem_id]) : null,
    };
  }

  /** Bins at the evaluation points, oldest first, thinned evenly; the newest is always there. */
  @Get(':slug/evaluations')
  async evaluations(@Param('slug') slug: string): Promise<object> {
    const target = await this.known(slug);
    const rows = await this.database.query<{ record: Readonly<Record<string, unknown>>; evaluated_at: Date | null }>(
      `SELECT number::float8 AS number, record, evaluated_at FROM (
         SELECT *, row_number() OVER (ORDER BY number DESC) - 1 AS age, count(*) OVER () AS total
         FROM evaluation WHERE target = $1
       ) AS e
       WHERE age % greatest(1, ceil(total::float8 / ${HISTORY_POINTS}))::bigint = 0 ORDER BY e.number`,
      [target],
    );
    return {
      target,
      evaluations: rows.map(({ record, evaluated_at, ...row }) => ({
        ...row,
        evaluated_at: evaluated_at?.toISOString() ?? null,
        checkpoint: record.checkpoint ?? '',
        trigger: triggerOf(record.trigger),
        bins: record.bins ?? {},
        moved: record.movedCount ?? 0,
      })),
    };
  }

  private async known(slug: string): Promise<string> {
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    return target;
  }
}

const binOf = (bin: (typeof binNames)[number] | undefined): Bin | null =>
  bin === undefined ? null : Bin[bin.toUpperCase() as keyof typeof Bin];

/** `EVALUATION_TRIGGER_GROUPS` as `groups`. */
const triggerOf = (trigger: unknown): string =>
  typeof trigger === 'string' ? trigger.replace('EVALUATION_TRIGGER_', '').toLowerCase() : '';
