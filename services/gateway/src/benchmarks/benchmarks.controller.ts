import { Controller, Delete, Get, Param, Put, Req, Res } from '@nestjs/common';
import { InjectConfig, StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../gateway.config.ts';
import { unusable } from '../http/http-problem.ts';
import { readQuery } from '../http/read-body.ts';
import { type CheckedLine, checkLine } from './check-line.ts';
import { spoolBody } from '../intake/spool-body.ts';
import { splitLines } from '../intake/split-lines.ts';
import { Benchmarks } from './benchmarks.ts';
import { readBenchmark } from './read-benchmark.ts';

const NAME = /^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$/;
const SET_BYTES = 256 * 2 ** 20;

const querySchema = z.object({
  /** 0 for the default, .22. */
  threshold: z.coerce.number().min(0).max(1).default(0),
});

/** Benchmark sets: what must not be trained on. */
@Controller('v1/benchmarks')
export class BenchmarksController {
  constructor(
    private readonly benchmarks: Benchmarks,
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  @Get()
  async list(): Promise<object> {
    const rows = await this.database.query<{ changed_at: Date }>(
      `SELECT benchmark, version, problem_count AS problems, threshold, changed_at FROM benchmark
       WHERE NOT removed ORDER BY benchmark`,
    );
    return { benchmarks: rows.map((row) => ({ ...row, changed_at: row.changed_at.toISOString() })) };
  }

  /** NDJSON: the set as a whole takes the place of the one before. */
  @Put(':name')
  async put(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const benchmark = benchmarkName(name);
    const { threshold } = readQuery(request, querySchema);
    const read = readBenchmark(await this.linesOf(request));
    if (read.kind === 'faulty') {
      const faults = read.faults.slice(0, 50).map(({ line, field, reason }) => ({
        where: `line ${line}${field === '' ? '' : `, ${field}`}`,
        why: reason,
      }));
      throw unusable(
        `${read.faults.length} lines of the benchmark can't be used.`,
        faults,
        'Correct them; nothing was taken.',
      );
    }
    if (read.set.problems.length === 0) {
      throw unusable('The benchmark is empty.', [{ where: 'body', why: 'holds no problem' }], 'To remove it: DELETE.');
    }
    const change = await this.benchmarks.put(benchmark, read.set, threshold);
    await reply.status(change.outcome === 'added' ? 201 : 200).send(change);
  }

  @Delete(':name')
  async remove(@Param('name') name: string): Promise<object> {
    return await this.benchmarks.remove(benchmarkName(name));
  }

  private async linesOf(request: FastifyRequest): Promise<CheckedLine[]> {
    const body = await spoolBody(request.raw, {
      limitBytes: Math.min(SET_BYTES, this.config.maxUploadBytes),
      encoding: request.headers['content-encoding'],
    });
    try {
      const lines: CheckedLine[] = [];
      for await (const line of splitLines(body.chunks(), this.config.maxRecordBytes)) {
        lines.push(checkLine(line, this.config.maxRecordBytes));
      }
      return lines;
    } finally {
      await body.dispose();
    }
  }
}

function benchmarkName(name: string): string {
  if (NAME.test(name)) return name;
  const faults = [{ where: 'path.name', why: 'must be 1 to 100 of a-z, 0-9, dot, dash and underscore' }];
  throw unusable(`${JSON.stringify(name.slice(0, 100))} can't name a benchmark.`, faults, 'Choose another name.');
}
