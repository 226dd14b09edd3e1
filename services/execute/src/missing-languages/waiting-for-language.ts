import { Injectable } from '@nestjs/common';
import { Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import { gradingJob, gradingJobs } from '../grade-rollouts/grading-jobs.ts';
import { JudgeHost } from '../judging/judge-host.ts';
import { type ParkedGroup, parkGroups, takeWaitingFor } from '../postgres/parked.ts';
import { lockWaitingFor, saveProblems } from '../postgres/problems.ts';
import { verificationJob, verificationJobs } from '../verify-problem/verification-jobs.ts';

/** Problems, and groups, taken up in one transaction. */
const CHUNK = 200;

/** A replica takes up what waits for a language that it has: others may lack it. */
@Injectable()
export class WaitingForLanguage {
  constructor(private readonly host: JudgeHost) {}

  @Every(2_000, { onEveryReplica: true })
  async takeUp(tick: TimerTick, tx: StageTransaction): Promise<void> {
    const languages = this.host.languages();
    if (languages.length === 0) return;
    const problems = await lockWaitingFor(tx, languages, Math.min(CHUNK, await tx.jobRoom(verificationJobs)));
    await tx.enqueue(
      verificationJobs,
      problems.map(({ problemId, version }) => verificationJob(tick, problemId, version)),
    );
    await saveProblems(
      tx,
      problems.map((problem) => ({ ...problem, state: 'verifying' })),
    );
    const unready: ParkedGroup[] = [];
    const groups = await takeWaitingFor(tx, languages, Math.min(CHUNK, await tx.jobRoom(gradingJobs)));
    for (const { language: _there, ...parked } of groups) {
      const version = parked.group.group?.version ?? 0;
      const cause = { id: parked.eventId, traceparent: parked.traceparent };
      if (version > 0) await tx.enqueue(gradingJobs, [gradingJob(cause, parked.group, version)]);
      else unready.push(parked);
    }
    await parkGroups(tx, unready);
  }
}
