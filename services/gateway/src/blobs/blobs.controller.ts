import { randomUUID } from 'node:crypto';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import {
  causeOf,
  Every,
  InjectConfig,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/caller.ts';
import { Commands } from '../commands/commands.ts';
import type { GatewayConfig } from '../gateway.config.ts';
import { readJson } from '../http/read-body.ts';
import { sweepJobs } from './sweep-blobs.ts';

const sweepSchema = z.strictObject({ dry_run: z.boolean().default(false) });

/** The blob store, for operators; and its sweep by the clock. */
@Controller('v1/blobs')
export class BlobsController {
  constructor(
    private readonly database: StageDatabase,
    private readonly commands: Commands,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  @Post('sweep')
  @HttpCode(202)
  async sweep(@Req() request: FastifyRequest): Promise<object> {
    const { dry_run: dryRun } = await readJson(request, sweepSchema);
    const caller = callerOf(request);
    const commandId = await this.database.transaction('sweep-blobs', (tx) => requestSweep(tx, caller.name, dryRun));
    return await this.commands.find(caller, commandId);
  }

  @Every(60_000, { name: 'sweep-blobs' })
  async whenDue(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const hours = this.config.blobSweepHours;
    const due = await tx.query(
      `UPDATE blob_sweep SET begun_at = now() WHERE $1 > 0 AND begun_at < now() - $1 * interval '1 hour' RETURNING 1`,
      [hours],
    );
    if (due.length > 0) await requestSweep(tx, 'timer', false);
  }
}

async function requestSweep(tx: StageTransaction, requestedBy: string, dryRun: boolean): Promise<string> {
  const commandId = randomUUID();
  await tx.query(
    `INSERT INTO command (command_id, kind, service, target, requested_by, requested_at)
     VALUES ($1, 'sweep_blobs', 'gateway', '', $2, now())`,
    [commandId, requestedBy],
  );
  await tx.enqueue(sweepJobs, [{ key: commandId, payload: { dryRun }, cause: causeOf(commandId) }]);
  return commandId;
}
