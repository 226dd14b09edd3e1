import { Controller, Get, Param, Req } from '@nestjs/common';
import { problemIdOf } from '@tidemark/identity';
import { StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf, submitterSeenBy } from '../access/caller.ts';
import { notFound, unusable } from '../http/http-problem.ts';
import { readQuery } from '../http/read-body.ts';
import { Explain } from './explain.ts';
import { listProblems, listQuerySchema, PROBLEM_COLUMNS, type ProblemRow, problemJson } from './problem-list.ts';
import { submittedLines } from './submitted-lines.ts';

const submissionSchema = z.object({
  namespace: z.string().min(1).max(200).optional(),
  id: z.string().min(1).max(500).optional(),
  source_file: z.string().min(1).max(500).optional(),
  /** The upload that a summary named. */
  upload: z.string().min(1).max(100).optional(),
  /** Only what is not ready or not graded. */
  failed: z.stringbool().default(false),
  line: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

/** What became of problems. */
@Controller('v1')
export class ProblemsController {
  constructor(
    private readonly database: StageDatabase,
    private readonly explain: Explain,
  ) {}

  @Get('problems')
  list(@Req() request: FastifyRequest): Promise<object> {
    return listProblems(this.database, callerOf(request), readQuery(request, listQuerySchema));
  }

  @Get('problems/:id')
  story(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.explain.explain(callerOf(request), id);
  }

  /** What became of my record: by namespace and record id, by file and line, or by upload. */
  @Get('submissions')
  async submissions(@Req() request: FastifyRequest): Promise<object> {
    const query = readQuery(request, submissionSchema);
    const submitter = submitterSeenBy(callerOf(request));
    if (query.namespace !== undefined && query.id !== undefined) {
      return await this.byRecord(query.namespace, query.id, submitter);
    }
    if (query.source_file !== undefined || query.upload !== undefined) {
      const { source_file: sourceFile, upload: uploadId, line, failed, limit } = query;
      return await submittedLines(this.database, { sourceFile, uploadId, line, failed, limit, submitter });
    }
    const why = 'names neither namespace and id, nor source_file, nor upload';
    throw unusable('Which record?', [{ where: 'query', why }], 'Add namespace=…&id=…, or source_file=…&line=….');
  }

  private async byRecord(namespace: string, recordId: string, submitter: string | undefined): Promise<object> {
    const problemId = problemIdOf(namespace, recordId);
    const rows = await this.database.query<ProblemRow>(
      `SELECT ${PROBLEM_COLUMNS} FROM problem WHERE problem_id = $1 AND ($2::text IS NULL OR submitter = $2)`,
      [problemId, submitter ?? null],
    );
    if (rows[0] === undefined) {
      throw notFound(
        'record',
        `${namespace} ${recordId}`,
        'It was not offered under these names, or ingest has not come to it yet.',
      );
    }
    return { problems: rows.map(problemJson), refused: [], groups: [], dead_letters: [] };
  }
}
