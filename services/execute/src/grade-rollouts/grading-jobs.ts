import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type RolloutsSubmitted, RolloutsSubmittedSchema } from '@tidemark/proto';
import type { Cause, JobKind, NewJob } from '@tidemark/stage-runtime';

/** A group to be graded. */
export type Grading = {
  readonly group: RolloutsSubmitted;
  /** The version whose suite judges; never 0. */
  readonly judgedVersion: number;
};

/** Attempts of a group run against the suite of their problem's version. */
export const gradingJobs: JobKind<Grading> = {
  name: 'grade',
  encode: ({ group, judgedVersion }) => {
    const bytes = toBinary(RolloutsSubmittedSchema, group);
    const framed = new Uint8Array(4 + bytes.length);
    new DataView(framed.buffer).setUint32(0, judgedVersion);
    framed.set(bytes, 4);
    return framed;
  },
  decode: (framed) => ({
    judgedVersion: new DataView(framed.buffer, framed.byteOffset).getUint32(0),
    group: fromBinary(RolloutsSubmittedSchema, framed.subarray(4)),
  }),
  leaseMs: 60_000,
};

export function gradingJob(cause: Cause, group: RolloutsSubmitted, judgedVersion: number): NewJob<Grading> {
  const { target, problemId, groupId } = group.group ?? {};
  // Submitters choose their ids: two targets may use one.
  const key = groupId ? JSON.stringify([target, problemId, judgedVersion, groupId]) : cause.id;
  return { key, payload: { group, judgedVersion }, cause };
}
