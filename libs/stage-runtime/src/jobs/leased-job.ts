import type { JobKind, LeasedJob } from '../api.ts';
import { decodeOrigin } from '../consume/origin-codec.ts';
import type { TakenJob } from './job-table.ts';

/** A job as its worker sees it. Its id holds its cause's: a job made again by another event publishes other events. */
export function leasedJob<P>(kind: JobKind<P>, job: TakenJob): LeasedJob<P> {
  const origin = job.origin && decodeOrigin(job.origin);
  return {
    id: `${job.kind}/${job.key}/${job.causeId}`,
    traceparent: job.traceparent,
    kind: job.kind,
    key: job.key,
    payload: kind.decode(job.payload, origin),
    origin,
    attempt: job.attempts,
  };
}
