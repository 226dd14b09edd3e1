import type { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import type { Cause, Publisher } from '@tidemark/stage-runtime';
import type { GroupDecision } from './decide-group.ts';
import type { ReadGroup } from './read-group.ts';
import { toGraded, toSubmitted } from './to-group.ts';

/** Sends a group on its way: to be graded, or graded as it came. */
export async function publishGroup(
  tx: Publisher,
  cause: Cause,
  { record, submitter }: ReadGroup,
  decision: GroupDecision & { kind: 'submit' | 'graded' },
  intakeHour: number,
  blobs: BlobStore,
): Promise<void> {
  if (decision.kind === 'graded') {
    tx.publish(cause, topics.rolloutsGraded, toGraded(record, decision, intakeHour, submitter, Date.now()));
    return;
  }
  tx.publish(cause, topics.rolloutsSubmitted, await toSubmitted(record, decision, intakeHour, submitter, blobs));
}
