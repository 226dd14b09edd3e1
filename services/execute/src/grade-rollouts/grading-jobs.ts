import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { type RolloutsSubmitted, RolloutsSubmittedSchema } from '@tidemark/proto';
import type { JobKind, LeasedJob, NewJob, Origin } from '@tidemark/stage-runtime';

/** A group to be graded. */
export type Grading = {
  readonly group: RolloutsSubmitted;
  /** The version whose suite judges; never 0. */
  readonly judgedVersion: number;
};

/** A byte that no message begins with: a replica of the release before looks for the group here, and leaves the job. */
const NO_GROUP_HERE = 0xff;

/** Attempts of a group, which is the job's origin, run against the suite of their problem's version. */
export const gradingJobs: JobKind<Grading> = {
  name: 'grade',
  encode: ({ judgedVersion }) => {
    const framed = new Uint8Array(5);
    new DataView(framed.buffer).setUint32(0, judgedVersion);
    framed[4] = NO_GROUP_HERE;
    return framed;
  },
  decode: (framed, origin) => ({
    judgedVersion: new DataView(framed.buffer, framed.byteOffset).getUint32(0),
    // The release before put the group behind the version, and kept nothing else of its record.
    group: fromBinary(RolloutsSubmittedSchema, origin?.record.value ?? framed.subarray(4)),
  }),
  leaseMs: 60_000,
};

export function gradingJob(origin: Origin, group: RolloutsSubmitted, judgedVersion: number): NewJob<Grading> {
  const { target, problemId, groupId } = group.group ?? {};
  // Submitters choose their ids: two targets may use one.
  const key = groupId ? JSON.stringify([target, problemId, judgedVersion, groupId]) : origin.id;
  return { key, payload: { group, judgedVersion }, cause: origin, origin };
}

/** The record that a job grades; of a job that the release before added its bytes are known, and neither key nor place. */
export function originOf({ origin, id, kind, key, traceparent, payload }: LeasedJob<Grading>): Origin {
  if (origin !== undefined) return origin;
  const value = toBinary(RolloutsSubmittedSchema, payload.group);
  const record = { topic: topics.rolloutsSubmitted.name, partition: 0, offset: 0n, timestampMs: 0, key: null, value };
  const cause = { id: id.slice(`${kind}/${key}/`.length), traceparent };
  return { ...cause, record: { ...record, headers: {} }, revision: undefined, replays: 0 };
}
