import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { lockProblems, saveProblems } from '../postgres/problems.ts';
import { saveWithdrawals, withdrawnVersions } from '../postgres/withdrawals.ts';
import { verificationJob, verificationJobs } from '../verify-problem/verification-jobs.ts';
import { decideVerification } from '../on-problem-unique/decide-verification.ts';

/** `problems.withdrawn` → nothing of it is verified; taken back, what waited for that is. */
@Controller()
export class OnProblemWithdrawn {
  @OnEvent(topics.problemsWithdrawn, { feeds: [verificationJobs] })
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    await saveWithdrawals(tx, events);
    const takenBack = batch.events.filter(({ value }) => value.takenBack);
    if (takenBack.length === 0) return;
    const ids = takenBack.map(({ value }) => value.problemId);
    const known = await lockProblems(tx, ids);
    const withdrawn = await withdrawnVersions(tx, ids);
    for (const event of takenBack) {
      const problem = known.get(event.value.problemId);
      if (problem?.state !== 'waiting') continue;
      const { problemId, version } = problem;
      if (decideVerification(version, problem, withdrawn.get(problemId) ?? 0).kind !== 'verify') continue;
      await tx.enqueue(verificationJobs, [verificationJob(event, problemId, version)]);
      await saveProblems(tx, [{ ...problem, state: 'verifying' }]);
    }
  }
}
