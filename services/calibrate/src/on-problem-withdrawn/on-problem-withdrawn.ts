import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemWithdrawn, Stage } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveWithdrawals, takeBackWithdrawals, touchProblems } from '../postgres/problems.ts';

/** `problems.withdrawn` → no estimate of a problem, from the next evaluation on, while any stage withdraws its version. */
@Controller()
export class OnProblemWithdrawn {
  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ value }) => ({
      problemId: value.problemId,
      stage: Stage[value.stage] ?? String(value.stage),
      version: value.version,
      takenBack: value.takenBack,
    }));
    const takenBack = [...rows.filter((row) => row.takenBack), ...batch.removed.map(({ key }) => problemAndStage(key))];
    await saveWithdrawals(
      tx,
      rows.filter((row) => !row.takenBack),
    );
    await takeBackWithdrawals(tx, takenBack);
    await touchProblems(
      tx,
      [...rows, ...takenBack].map((row) => row.problemId),
    );
  }
}

/** The topic's key is `<problem id>:<stage>`. */
function problemAndStage(key: string): { problemId: string; stage: string } {
  const colon = key.indexOf(':');
  return { problemId: key.slice(0, colon), stage: key.slice(colon + 1) };
}
