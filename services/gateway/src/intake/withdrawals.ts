import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { problemIdOf, submitterMac } from '@tidemark/identity';
import { ProblemIntakeSchema } from '@tidemark/proto';
import { causeOf, derivedEventId, InjectConfig, StageDatabase } from '@tidemark/stage-runtime';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import type { GatewayConfig } from '../gateway.config.ts';

const HANDLER = 'withdraw-problem';

export const withdrawalSchema = z.strictObject({
  namespace: z.string().min(1).max(200),
  record_id: z.string().min(1).max(500),
  reason: z.string().max(2_000).default(''),
});

/** A producer takes a record back. */
@Injectable()
export class Withdrawals {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  /** The withdrawal is on its way to ingest, which checks that the caller offered the record. */
  async withdraw(
    { name, trustedToGrade }: Caller,
    { namespace, record_id, reason }: z.output<typeof withdrawalSchema>,
  ): Promise<{ readonly problem_id: string; readonly event_id: string }> {
    const record = { format: 'tidemark.withdrawal.v1', namespace, id: record_id, ...(reason !== '' && { reason }) };
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    const payload = await storePayload(this.blobs, bytes);
    const cause = causeOf(randomUUID());
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
    const problemId = problemIdOf(namespace, record_id);
    await this.database.transaction(HANDLER, async (tx) =>
      // Behind what the caller offered of the record before.
      tx.publish(cause, topics.problemsIntake, message, problemId),
    );
    return { problem_id: problemId, event_id: derivedEventId(`gateway/${HANDLER}`, cause.id, 0) };
  }
}
