import type { LogRecord } from '@tidemark/event-log';
import type { OpenTransaction } from '../database/transactions.ts';
import { traceBatch, traceFault } from '../observe/traced-batch.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { handleBisecting } from './bisect.ts';
import { countDeadLetter, deadLetterEvent, type Tries } from './dead-letter.ts';
import { IncomingBatch } from './event-batch.ts';
import { decodeRecord, type Incoming } from './incoming.ts';
import type { TopicHandler } from './topic-handler.ts';
import { takeUnseen } from './unseen.ts';

/** A record to handle; what a dead letter knows of it more than the log. */
export interface RecordToHandle {
  readonly record: LogRecord;
  /** Id under which it was known when it was first read; without it the one that it has now. */
  readonly eventId?: string;
  /** What was tried before. */
  readonly before?: Tries;
}

/** Handles records within a transaction: the good ones once, those at fault into dead letters. */
export async function handleRecords(
  parts: StageParts,
  handler: TopicHandler,
  open: OpenTransaction,
  incarnation: string,
  records: readonly RecordToHandle[],
): Promise<void> {
  const attempts = new Map<Incoming, number>();
  const origins = new Map<Incoming, RecordToHandle>();
  const newWork = () => new StageWork(open, parts, handler.name);
  const layAside = async (incoming: Incoming, fault: { code: string; message: string }) => {
    const before = origins.get(incoming)?.before;
    const tries = {
      attempts: (before?.attempts ?? 0) + Math.max(1, attempts.get(incoming) ?? 1),
      replays: before === undefined ? 0 : before.replays + 1,
    };
    const work = newWork();
    work.add(deadLetterEvent(parts.identity, handler.name, incoming, fault, tries));
    await countDeadLetter(open, incoming.record.topic, fault.code);
    await work.finish();
    const { topic, partition, offset } = incoming.record;
    const fields = { topic, partition, offset: String(offset), event: incoming.id, code: fault.code };
    open.afterCommit(() => {
      parts.logger.warn({ ...fields, reason: fault.message.slice(0, 300) }, 'dead letter');
      parts.metrics.deadLetters.inc({ topic, code: fault.code });
      traceFault(parts.tracing, handler, incoming, fault);
    });
  };

  const readable: Incoming[] = [];
  for (const origin of records) {
    const incoming = decodeRecord(handler.topic, incarnation, origin.record, origin.eventId);
    origins.set(incoming, origin);
    if (incoming.kind === 'undecodable') await layAside(incoming, { code: 'undecodable', message: incoming.reason });
    else readable.push(incoming);
  }
  await handleBisecting(readable, {
    attempt: (some) =>
      open.inSavepoint(async () => {
        const unseen = await takeUnseen(open, handler.topic, some);
        if (unseen.length === 0) return;
        for (const record of unseen) attempts.set(record, (attempts.get(record) ?? 0) + 1);
        const traced = traceBatch(parts.tracing, handler, unseen);
        const work = newWork();
        await handler.handle(new IncomingBatch(traced.records), work);
        await work.finish();
        open.afterCommit(() => traced.end());
      }),
    layAside,
  });
}
