import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemUnique } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { type KnownProblem, lockProblems, saveProblems } from '../postgres/problems.ts';
import { readSuite, saveSuites } from '../postgres/suites.ts';
import { withdrawnVersions } from '../postgres/withdrawals.ts';
import { withPlace } from '../verify-problem/to-events.ts';
import { verificationJob, verificationJobs } from '../verify-problem/verification-jobs.ts';
import { decideVerification } from './decide-verification.ts';

/** `problems.unique` → a job that runs the references; the version in force is said again when its place changed. */
@Controller()
export class OnProblemUnique {
  @OnEvent(topics.problemsUnique, { feeds: [verificationJobs], maxBatchRecords: 200 })
  async handle(batch: EventBatch<ProblemUnique>, tx: StageTransaction): Promise<void> {
    const ids = [...batch.events.map(({ value }) => value.problemId), ...batch.removed.map(({ key }) => key)];
    const known = await lockProblems(tx, ids);
    const withdrawn = await withdrawnVersions(tx, ids);
    const rows: KnownProblem[] = [];
    for (const event of batch) {
      const { problemId, version } = event.value;
      const before = known.get(problemId);
      const decision = decideVerification(version, before, withdrawn.get(problemId) ?? 0);
      if (decision.kind === 'superseded') continue;
      if (decision.kind === 'verify') await tx.enqueue(verificationJobs, [verificationJob(event, problemId, version)]);
      if (decision.kind === 'republish') await this.republish(tx, event, event.value);
      const state = {
        verify: 'verifying',
        republish: 'verified',
        withdrawn: 'waiting',
        keep: before?.state ?? 'waiting',
      } as const;
      const verifiedVersion = before?.verifiedVersion ?? 0;
      rows.push({
        problemId,
        version,
        state: state[decision.kind],
        event: event.value,
        origin: event,
        verifiedVersion,
      });
    }
    for (const removed of batch.removed) {
      const before = known.get(removed.key);
      if (before) rows.push({ ...before, state: 'removed', verifiedVersion: 0 });
      tx.publishTombstone(removed, topics.problemsVerified, removed.key);
    }
    await saveProblems(tx, rows);
  }

  private async republish(
    tx: StageTransaction,
    cause: EventBatch<ProblemUnique>['events'][number],
    event: ProblemUnique,
  ) {
    const before = await readSuite(tx, event.problemId, event.version);
    if (!before) return;
    const verified = withPlace(before.event, event);
    await saveSuites(tx, [{ event: verified, together: before.together }]);
    tx.publish(cause, topics.problemsVerified, verified);
  }
}
