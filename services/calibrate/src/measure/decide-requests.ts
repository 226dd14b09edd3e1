import { create } from '@bufbuild/protobuf';
import { Purpose, type RolloutsRequested, RolloutsRequestedSchema } from '@tidemark/proto';

/** What a measurement asks of one problem. */
export interface Wanted {
  readonly commandId: string;
  readonly target: string;
  readonly targetVersion: number;
  readonly checkpoint: string;
  readonly problemId: string;
  readonly version: number;
  /** Attempts a problem, at least 1. */
  readonly attempts: number;
  /** Attempts a group, G, at least 1. */
  readonly groupSize: number;
}

/**
 * The requests that bring the wanted attempts, each for one group of at most G. Their ids follow from the command, so that
 * repeating the work asks for nothing new.
 */
export function decideRequests(wanted: Wanted): RolloutsRequested[] {
  const requests: RolloutsRequested[] = [];
  for (let asked = 0; asked < wanted.attempts; asked += wanted.groupSize)
    requests.push(
      create(RolloutsRequestedSchema, {
        requestId: `${wanted.commandId}/${wanted.problemId}/${requests.length}`,
        target: wanted.target,
        targetVersion: wanted.targetVersion,
        checkpoint: wanted.checkpoint,
        problemId: wanted.problemId,
        version: wanted.version,
        purpose: Purpose.CALIBRATE,
        attempts: Math.min(wanted.groupSize, wanted.attempts - asked),
      }),
    );
  return requests;
}
