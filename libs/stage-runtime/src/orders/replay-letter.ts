import { BlobError } from '@tidemark/blob-store';
import type { LogRecord } from '@tidemark/event-log';
import type { DeadLetter } from '@tidemark/proto';
import { RecordFault } from '../api.ts';
import { letterId, wholeLetter } from '../consume/dead-letter.ts';
import { handleRecords } from '../consume/handle-records.ts';
import type { TopicHandler } from '../consume/topic-handler.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import { outboxHandler } from '../relay/refused-rows.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { replayRefused } from './replay-refused.ts';

/**
 * Handles a record again that was laid aside, as if it were read where it stood: same ids, and what was handled since
 * at its revision or a higher one, or under its id, is passed over. One that fails again is laid aside again. An event of
 * this service that the log refused is published again.
 *
 * @throws RecordFault its content is gone from the blob store
 */
export async function replayLetter(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  open: OpenTransaction,
  letter: DeadLetter,
): Promise<void> {
  if (letter.handler === outboxHandler(parts.identity.service)) {
    const shard = await replayRefused(open, recordOf(await contentOf(parts, letter)));
    if (shard === undefined) {
      await layBack(parts, open, letter, { code: 'superseded', message: 'a newer event of its key was published' });
    } else open.afterCommit(() => parts.wakes.relay(new Set([shard])));
    return;
  }
  const handler = handlers.find(({ topic }) => topic.name === letter.topic);
  if (handler === undefined) {
    const message = `${parts.identity.service} does not read ${letter.topic}`;
    await layBack(parts, open, letter, { code: 'not_consumed', message });
    return;
  }
  const record = recordOf(await contentOf(parts, letter));
  const before = { id: letterId(letter), replays: letter.replays + 1, attempts: letter.attempts };
  await handleRecords(parts, handler, open, '', [{ record, before }]);
}

/** The letter becomes a letter again, as it lay, with what became of its replay. */
export async function layBack(
  parts: StageParts,
  open: OpenTransaction,
  letter: DeadLetter,
  fault: { readonly code: string; readonly message: string },
): Promise<void> {
  const work = new StageWork(open, parts, letter.handler);
  await work.addLetterAgain(letter, fault);
  await work.finish();
}

/** To wait for a blob that is gone would hold up every order behind; the letter keeps its name all the same. */
async function contentOf({ blobs }: Pick<StageParts, 'blobs'>, letter: DeadLetter): Promise<DeadLetter> {
  try {
    return await wholeLetter(blobs, letter);
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new RecordFault(error.code, `the content of the letter is gone: ${error.message}`, undefined, {
      cause: error,
    });
  }
}

/** The record as it was read. */
const recordOf = (letter: DeadLetter): LogRecord => ({
  topic: letter.topic,
  partition: letter.partition,
  offset: letter.offset,
  timestampMs: Number(letter.recordTimestampMs),
  key: letter.key ?? null,
  value: letter.value ?? null,
  headers: letter.headers,
});
