import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { topics } from '@tidemark/event-log';
import { CommandCompletedSchema, type CommandOutcome, type ServiceOrder } from '@tidemark/proto';
import type { OpenTransaction } from '../database/transactions.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';

/** How an order ended. */
export interface OrderEnd {
  readonly outcome: CommandOutcome.DONE | CommandOutcome.REFUSED | CommandOutcome.FAILED;
  readonly message: string;
  readonly results?: Record<string, string>;
}

/** Says how an order ended, where somebody waits for it. */
export async function answerOrder(
  parts: StageParts,
  open: OpenTransaction,
  causeId: string,
  { commandId }: ServiceOrder,
  end: OrderEnd,
): Promise<void> {
  if (commandId === '') return;
  const { service } = parts.identity;
  const work = new StageWork(open, parts, `${service}/orders/answer`);
  work.publish(
    { id: causeId, traceparent: undefined },
    topics.commandsCompleted,
    create(CommandCompletedSchema, { results: {}, ...end, commandId, service, completedAt: timestampNow() }),
  );
  await work.finish();
}
