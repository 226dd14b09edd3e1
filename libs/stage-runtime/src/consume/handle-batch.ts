import type { FetchedBatch } from '@tidemark/event-log';
import type { OpenTransaction } from '../database/transactions.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { handleBisecting } from './bisect.ts';
import { countDeadLetter, deadLetterEvent } from './dead-letter.ts';
import { IncomingBatch } from './event-batch.ts';
import { decodeRecord, type Incoming } from './incoming.ts';
import type { TopicHandler } from './topic-handler.ts';
import { takeUnseen } from './unseen.ts';

/** Handles the records of a batch within its transaction: the good ones once, those at fault into dead letters. */
export async function handleBatch(
  parts: StageParts,
  handler: TopicHandler,
  open: OpenTransaction,
  batch: FetchedBatch,
): Promise<void> {
  const attempts = new Map<Incoming, number>();
  const newWork = () => new StageWork(open, parts, handler.name);
  const layAside = async (record: Incoming, fault: { code: string; message: string }) => {
    const work = newWork();
    work.add(deadLetterEvent(parts.identity, handler.name, record, fault, Math.max(1, attempts.get(record) ?? 1)));
    await countDeadLetter(open, record.record.topic, fault.code);
    await work.finish();
    const { topic, partition, offset } = record.record;
    const fields = { topic, partition, offset: String(offset), event: record.id, code: fault.code };
    open.afterCommit(() => {
      parts.logger.warn({ ...fields, reason: fault.message.slice(0, 300) }, 'dead letter');
      parts.metrics.deadLetters.inc({ topic, code: fault.code });
    });
  };

  const readable: Incoming[] = [];
  for (const record of batch.records) {
    const incoming = decodeRecord(handler.topic, batch.partition.incarnation, record);
    if (incoming.kind === 'undecodable') await layAside(incoming, { code: 'undecodable', message: incoming.reason });
    else readable.push(incoming);
  }
  await handleBisecting(readable, {
    attempt: (records) =>
      open.inSavepoint(async () => {
        const unseen = await takeUnseen(open, handler.topic, records);
        if (unseen.length === 0) return;
        for (const record of unseen) attempts.set(record, (attempts.get(record) ?? 0) + 1);
        const work = newWork();
        await handler.handle(new IncomingBatch(unseen), work);
        await work.finish();
      }),
    layAside,
  });
}
