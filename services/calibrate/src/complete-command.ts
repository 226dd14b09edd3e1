import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { topics } from '@tidemark/event-log';
import { CommandCompletedSchema, CommandOutcome } from '@tidemark/proto';
import type { Cause, StageTransaction } from '@tidemark/stage-runtime';

/** How a command ended, in one sentence for people and in results by name for programs. */
export interface CommandEnd {
  readonly outcome: CommandOutcome.DONE | CommandOutcome.REFUSED;
  readonly message: string;
  readonly results?: Readonly<Record<string, string>>;
}

/** Publishes that a command ended. */
export function completeCommand(tx: StageTransaction, cause: Cause, commandId: string, end: CommandEnd): void {
  tx.publish(
    cause,
    topics.commandsCompleted,
    create(CommandCompletedSchema, {
      commandId,
      service: 'calibrate',
      outcome: end.outcome,
      message: end.message,
      results: { ...end.results },
      completedAt: timestampNow(),
    }),
  );
}
