import type { LogConsumer } from '@tidemark/event-log';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import type { StageSessions } from './stage-sessions.ts';

const LOOK_MS = 1_000;

/**
 * Opens sessions anew whose stored offset was moved on purpose: one that waits at the log's end would not notice before
 * the next record. Whoever moves an offset need not be the replica that holds the partition.
 */
export async function followEpochs(
  { transactions, ended }: Pick<StageParts, 'transactions' | 'ended'>,
  group: string,
  sessions: Pick<StageSessions, 'epochs'>,
  consumer: Pick<LogConsumer, 'assignment' | 'reopen'>,
  lookMs = LOOK_MS,
): Promise<void> {
  for (;;) {
    await sleep(lookMs, ended);
    if (ended.aborted) return;
    const held = consumer.assignment();
    if (held.length === 0) continue;
    // A database that is away is told of by whoever needs it.
    const rows = await transactions
      .query<{ incarnation: string; partition: number; epoch: bigint }>(
        'SELECT incarnation, partition, epoch FROM consumed_offsets WHERE consumer_group = $1 AND epoch > 0',
        [group],
      )
      .catch(() => []);
    for (const { incarnation, partition, epoch } of rows) {
      const isHeld = held.some((each) => each.partition === partition && each.incarnation === incarnation);
      if (!isHeld || (sessions.epochs.get(partition) ?? epoch) === epoch) continue;
      // Says nothing to a session at work: its epoch stays noted, so that it is told until another one has opened.
      consumer.reopen(partition);
    }
  }
}
