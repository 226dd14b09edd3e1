import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type CommandCompleted, CommandOutcome } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { noteRegrade } from '../postgres/commands.ts';
import { putNextSuiteInForce } from './put-next-suite-in-force.ts';

/** `commands.completed` → after a regrade the new suite's buckets count, all from one evaluation on. */
@Controller()
export class OnCommandCompleted {
  @OnEvent(topics.commandsCompleted)
  async handle(batch: EventBatch<CommandCompleted>, tx: StageTransaction): Promise<void> {
    for (const { value } of batch) {
      if (value.service !== 'execute') continue;
      const problemId = await noteRegrade(tx, value.commandId, { done: value.outcome === CommandOutcome.DONE });
      if (problemId !== undefined) await putNextSuiteInForce(tx, problemId);
    }
  }
}
