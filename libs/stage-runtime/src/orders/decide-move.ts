import type { LogBounds } from '@tidemark/event-log';
import type { MoveOffsets } from '@tidemark/proto';

/** One partition's move; offsets have holes, so the counts are upper bounds of records. */
export interface PartitionMove {
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
  /** Offsets that were gone before they were read. */
  readonly lost: bigint;
  /** Offsets that are there, were not read, and will not be. */
  readonly passedOver: bigint;
}

export type Move =
  | ({ readonly kind: 'move' } & Omit<PartitionMove, 'partition' | 'from'>)
  | { readonly kind: 'refused'; readonly why: string };

/** Where a consumer that stands at `next` goes on: never outside the log, and past unread records only when told so. */
export function decideMove(
  next: bigint,
  { logStart, logEnd }: LogBounds,
  { to: wanted, skipUnread }: Pick<MoveOffsets, 'to' | 'skipUnread'>,
): Move {
  const refused = (why: string): Move => ({ kind: 'refused', why });
  if (wanted.case === undefined) return refused('the order does not say where to.');
  const to = wanted.case === 'start' ? logStart : wanted.case === 'end' ? logEnd : wanted.value;
  if (to < logStart || to > logEnd) return refused(`${to} is outside the log (${logStart} to ${logEnd}).`);
  // A position behind the end says nothing of what is in the log now: none of it counts as read.
  const unread = next > logEnd || next < logStart ? logStart : next;
  const passedOver = to > unread ? to - unread : 0n;
  if (passedOver > 0n && !skipUnread) {
    return refused(`${passedOver} offsets from ${unread} on are unread; skip_unread passes them over.`);
  }
  return { kind: 'move', to, lost: next < logStart ? logStart - next : 0n, passedOver };
}
