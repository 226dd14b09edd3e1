import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { topics } from '@tidemark/event-log';
import { DeadLetterSchema, type RolloutsSubmitted, RolloutsSubmittedSchema } from '@tidemark/proto';
import { type Cause, deadLetters, type Publisher } from '@tidemark/stage-runtime';

const letters = deadLetters(topics.rolloutsSubmitted.name, 'execute');

/** Why a group is laid aside, and where it lay in its topic as far as that is known. */
export type Reason = {
  readonly handler: string;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly partition?: number;
  readonly offset?: bigint;
  readonly appendedMs?: number;
};

/** Puts a group into the dead letters, with its bytes. */
export function layAside(tx: Publisher, cause: Cause, group: RolloutsSubmitted, reason: Reason): void {
  const letter = create(DeadLetterSchema, {
    topic: topics.rolloutsSubmitted.name,
    partition: reason.partition ?? 0,
    offset: reason.offset ?? 0n,
    key: new TextEncoder().encode(group.group?.problemId ?? ''),
    value: toBinary(RolloutsSubmittedSchema, group),
    headers: { ce_id: new TextEncoder().encode(cause.id) },
    service: 'execute',
    handler: reason.handler,
    errorCode: reason.code,
    errorMessage: reason.message.slice(0, 4_000),
    attempts: reason.attempts,
    deadLetteredAt: timestampFromMs(Date.now()),
    recordTimestampMs: BigInt(Math.round(reason.appendedMs ?? 0)),
  });
  tx.publish(cause, letters, letter);
}
