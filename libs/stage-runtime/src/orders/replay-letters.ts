import type { LogRecord } from '@tidemark/event-log';
import type { DeadLetter } from '@tidemark/proto';
import { wholeLetter } from '../consume/dead-letter.ts';
import { handleRecords } from '../consume/handle-records.ts';
import { traceparentIn } from '../consume/origin-codec.ts';
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
  const whole: DeadLetter[] = [];
  for (const letter of letters) whole.push(await wholeLetter(parts.blobs, letter));
  for (const [topic, ofTopic] of Map.groupBy(whole, (letter) => letter.topic)) {
    const handler = handlers.find((each) => each.topic.name === topic);
    if (handler === undefined) {
      for (const letter of ofTopic) await layBack(parts, open, letter);
      continue;
    }
    const records = ofTopic.map((letter) => {
      const { replays, attempts } = letter;
      return { record: recordOf(letter), before: { id: idOf(letter), replays: replays + 1, attempts } };
    });
    await handleRecords(parts, handler, open, '', records);
  }
}

/** A record of a topic that this service reads no more: its letter stays a letter. */
async function layBack(parts: StageParts, open: OpenTransaction, letter: DeadLetter): Promise<void> {
  const { service } = parts.identity;
  const fault = { code: 'not_consumed', message: `${service} does not read ${letter.topic}` };
  const record = recordOf(letter);
  const known = { id: idOf(letter), replays: letter.replays + 1 };
  const origin = { ...known, traceparent: traceparentIn(record), record, revision: undefined };
  const work = new StageWork(open, parts, letter.handler);
  await work.addLetter(origin, fault, letter.attempts);
  await work.finish();
}

/** A letter that names no id is of a record that its place tells. */
const idOf = ({ eventId, topic, partition, offset }: DeadLetter): string =>
  eventId === '' ? `${topic}/${partition}/${offset}` : eventId;

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
