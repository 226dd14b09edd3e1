import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { CommandCompleted } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { dateOf } from '../read-model/json.ts';

/** `commands.completed` → how commands ended. */
@Controller()
export class OnCommandCompleted {
  @OnEvent(topics.commandsCompleted)
  async handle(batch: EventBatch<CommandCompleted>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    await tx.query(
      `UPDATE command AS c SET outcome = e.outcome, message = e.message, results = e.results,
         completed_at = coalesce(e.completed_at, now())
       FROM unnest($1::text[], $2::smallint[], $3::text[], $4::jsonb[], $5::timestamptz[])
         AS e (command_id, outcome, message, results, completed_at)
       WHERE c.command_id = e.command_id`,
      [
        events.map(({ commandId }) => commandId),
        events.map(({ outcome }) => outcome),
        events.map(({ message }) => message.replaceAll('\0', '\uFFFD')),
        events.map(({ results }) => JSON.stringify(results)),
        events.map(({ completedAt }) => dateOf(completedAt)),
      ],
    );
  }
}
