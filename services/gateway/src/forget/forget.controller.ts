import { randomUUID } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { BlobStore, readPayload } from '@tidemark/blob-store';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { isProblemId } from '@tidemark/identity';
import { PayloadSchema } from '@tidemark/proto';
import { causeOf, problemHash, StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/caller.ts';
import { Commands } from '../commands/commands.ts';
import { readJson } from '../http/read-body.ts';
import { forgetJobs } from './forget-problem.ts';
import { piecesOf } from './pieces-of.ts';

const forgetSchema = z.strictObject({
  problem_id: z.string().refine(isProblemId, 'must be 32 hexadecimal digits'),
});

/** Operators have a problem forgotten. What is kept of the request is a hash. */
@Controller('v1/forget')
export class ForgetController {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly commands: Commands,
  ) {}

  @Post()
  @HttpCode(202)
  async forget(@Req() request: FastifyRequest): Promise<object> {
    const caller = callerOf(request);
    const { problem_id: problemId } = await readJson(request, forgetSchema);
    const commandId = randomUUID();
    const words = await this.wordsOf(problemId);
    await this.database.transaction('request-forget', async (tx) => {
      await tx.query(
        `INSERT INTO command (command_id, kind, service, target, requested_by, requested_at)
         VALUES ($1, 'forget', 'gateway', $2, $3, now())`,
        [commandId, `forgotten:${problemHash(problemId)}`, caller.name],
      );
      const payload = { problemId, words, beganAtMs: Date.now() };
      await tx.enqueue(forgetJobs, [{ key: commandId, payload, cause: causeOf(commandId) }]);
    });
    return await this.commands.find(caller, commandId);
  }

  /** By which its texts would be found: of the statement as it came and as it was cleaned, and of the tests. */
  private async wordsOf(problemId: string): Promise<string[]> {
    const rows = await this.database.query<{ kind: string; payload: Buffer }>(
      'SELECT kind, payload FROM kept_text WHERE problem_id = $1 AND payload IS NOT NULL',
      [problemId],
    );
    const words: string[] = [];
    for (const { kind, payload } of rows) {
      const bytes = await readPayload(this.blobs, fromBinary(PayloadSchema, payload)).catch(() => new Uint8Array());
      words.push(...piecesOf(new TextDecoder().decode(bytes), kind === 'suite' ? 12 : 24, 4));
    }
    return [...new Set(words)];
  }
}
