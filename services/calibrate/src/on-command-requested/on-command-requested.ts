import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { CommandOutcome, type CommandRequested, EvaluationTrigger } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { completeCommand } from '../complete-command.ts';
import { putNextSuiteInForce } from '../on-command-completed/put-next-suite-in-force.ts';
import { addMeasurement, noteRegrade } from '../postgres/commands.ts';
import { requestEvaluation } from '../postgres/targets.ts';
import { decideCommand } from './decide-command.ts';

/** `commands.requested` → an evaluation by the target's owner, a measurement, or a refusal. */
@Controller()
export class OnCommandRequested {
  @OnEvent(topics.commandsRequested)
  async handle(batch: EventBatch<CommandRequested>, tx: StageTransaction): Promise<void> {
    for (const event of batch) {
      const { commandId } = event.value;
      const decision = decideCommand(event.value);
      switch (decision.kind) {
        case 'evaluate':
          await requestEvaluation(tx, decision.target, EvaluationTrigger.COMMAND, commandId);
          break;
        case 'measure':
          await addMeasurement(tx, commandId, decision.target, decision.attempts);
          break;
        case 'note_regrade': {
          const regraded = await noteRegrade(tx, commandId, { problemId: decision.problemId });
          if (regraded !== undefined) await putNextSuiteInForce(tx, regraded);
          break;
        }
        case 'refuse':
          completeCommand(tx, event, commandId, { outcome: CommandOutcome.REFUSED, message: decision.message });
          break;
        case 'ignore':
          break;
      }
    }
  }
}
