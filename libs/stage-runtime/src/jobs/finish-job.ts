import type { JobWorker, LeasedJob, StageTransaction } from '../api.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { removeJob, type TakenJob } from './job-table.ts';
import { leasedJob } from './leased-job.ts';

/** Another worker has the job: what was done here counts for nothing. */
export class JobLost extends Error {
  constructor(job: TakenJob) {
    super(`job ${job.kind}/${job.key} was taken by another worker`);
    this.name = 'JobLost';
  }
}

/** One transaction: the job goes, its result and its events come. @throws JobLost */
export function completeJob<P, R>(
  parts: StageParts,
  worker: JobWorker<P, R>,
  job: TakenJob,
  leased: LeasedJob<P>,
  result: R,
): Promise<void> {
  return finishing(parts, job, (tx) => worker.complete(tx, leased, result));
}

/** One transaction: the job goes, and the worker writes down what became of it. @throws JobLost */
export function failJob<P, R>(parts: StageParts, worker: JobWorker<P, R>, job: TakenJob, error: Error): Promise<void> {
  return finishing(parts, job, (tx) => worker.fail(tx, leasedJob(worker.kind, job), error));
}

async function finishing(
  parts: StageParts,
  job: TakenJob,
  finish: (tx: StageTransaction) => Promise<void>,
): Promise<void> {
  const handler = `${parts.identity.service}/job/${job.kind}`;
  await parts.transactions.run(handler, async (open) => {
    if (!(await removeJob(open, job))) throw new JobLost(job);
    const work = new StageWork(open, parts, handler);
    await finish(work);
    await work.finish();
  });
}
