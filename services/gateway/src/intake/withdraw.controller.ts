import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { problemIdOf, submitterMac } from '@tidemark/identity';
import { ProblemIntakeSchema } from '@tidemark/proto';
import { causeOf, derivedEventId, InjectConfig, StageDatabase } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../gateway.config.ts';
import { callerOf } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';

const HANDLER = 'withdraw-problem';

const withdrawSchema = z.strictObject({
  namespace: z.string().min(1).max(200),
  record_id: z.string().min(1).max(500),
  reason: z.string().max(2_000).default(''),
});

/** A producer takes a record back. */
@Controller('v1/problems')
export class WithdrawController {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  /** 202: the withdrawal is on its way to ingest, which checks that the caller offered the record. */
  @Post('withdraw')
  async withdraw(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { namespace, record_id, reason } = await readJson(request, withdrawSchema);
    const record = { format: 'tidemark.withdrawal.v1', namespace, id: record_id, ...(reason !== '' && { reason }) };
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    const payload = await storePayload(this.blobs, bytes);
    const cause = causeOf(randomUUID());
    const { name, trustedToGrade } = callerOf(request);
    const { macSecret } = this.config;
    const message = create(ProblemIntakeSchema, {
      format: record.format,
      record: payload,
      namespace,
      withdraw: true,
      recordId: record_id,
      submitter: {
        name,
        trustedToGrade,
        ...(macSecret !== undefined && {
          gatewayMac: submitterMac(macSecret, { submitter: name, trustedToGrade, payload: bytes }),
        }),
      },
    });
    await this.database.transaction(HANDLER, async (tx) =>
      // Behind what the caller offered of the record before.
      tx.publish(cause, topics.problemsIntake, message, problemIdOf(namespace, record_id)),
    );
    await reply.status(202).send({
      problem_id: problemIdOf(namespace, record_id),
      event_id: derivedEventId(`gateway/${HANDLER}`, cause.id, 0),
    });
  }
}
