import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { RolloutsSubmittedSchema } from '@tidemark/proto';
import { Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import { gradingJob, gradingJobs } from '../grade-rollouts/grading-jobs.ts';
import { JudgeHost } from '../judging/judge-host.ts';
import { parkedGroups } from '../postgres/parked.ts';
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
    const room = Math.min(CHUNK, await tx.jobRoom(gradingJobs));
    const groups = await parkedGroups.take(tx, 'p.language = ANY ($2::text[])', [room, languages]);
    const laidAside = await tx.takeUp(topics.rolloutsSubmitted, groups, async (own, some) => {
      const jobs = some.map((origin) => {
        const group = fromBinary(RolloutsSubmittedSchema, origin.record.value ?? new Uint8Array());
        return gradingJob(origin, group, origin.columns.problem_version);
      });
      await own.enqueue(gradingJobs, jobs);
      await parkedGroups.remove(own, some);
    });
    await parkedGroups.remove(tx, laidAside);
  }
}
