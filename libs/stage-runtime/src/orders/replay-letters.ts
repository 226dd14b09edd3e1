import type { LogRecord } from '@tidemark/event-log';
import type { DeadLetter } from '@tidemark/proto';
import { countDeadLetter, deadLetterEvent, type Tries } from '../consume/dead-letter.ts';
import { handleRecords } from '../consume/handle-records.ts';
import type { TopicHandler } from '../consume/topic-handler.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';

/**
 * Handles records again that were laid aside, as if they were read where they stood: same ids, and what was handled
 * since at their revision or a higher one, or under their id, is passed over. A record that fails again is laid aside
 * again. The order of the letters is kept within each topic.
 */
export async function replayLetters(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  open: OpenTransaction,
  letters: readonly DeadLetter[],
): Promise<void> {
  for (const [topic, ofTopic] of Map.groupBy(letters, (letter) => letter.topic)) {
    const handler = handlers.find((each) => each.topic.name === topic);
    if (handler === undefined) {
      for (const letter of ofTopic) await layBack(parts, open, letter);
      continue;
    }
    const records = ofTopic.map((letter) => ({
      record: recordOf(letter),
      before: triesOf(letter),
      ...(letter.eventId === '' ? {} : { eventId: letter.eventId }),
    }));
    await handleRecords(parts, handler, open, '', records);
  }
}

/** A record of a topic that this service reads no more: its letter stays a letter. */
async function layBack(parts: StageParts, open: OpenTransaction, letter: DeadLetter): Promise<void> {
  const { service } = parts.identity;
  const fault = { code: 'not_consumed', message: `${service} does not read ${letter.topic}` };
  const tries = { attempts: letter.attempts, replays: letter.replays + 1 };
  const work = new StageWork(open, parts, letter.handler);
  work.add(
    deadLetterEvent(parts.identity, letter.handler, { record: recordOf(letter), id: letter.eventId }, fault, tries),
  );
  await countDeadLetter(open, letter.topic, fault.code);
  await work.finish();
}

const triesOf = ({ attempts, replays }: DeadLetter): Tries => ({ attempts, replays });

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
