import type { LogRecord } from '@tidemark/event-log';
import type { OpenTransaction } from '../database/transactions.ts';
import { traceBatch, traceFault } from '../observe/traced-batch.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { handleBisecting } from './bisect.ts';
import { IncomingBatch } from './event-batch.ts';
import { problemIdsOf, withoutForgotten } from '../upkeep/forgotten.ts';
import { decodeRecord, type Incoming, type KnownBefore } from './incoming.ts';
import type { TopicHandler } from './topic-handler.ts';
import { takeUnseen } from './unseen.ts';

/** A record to handle; what a dead letter knows of it more than the log. */
export interface RecordToHandle {
  readonly record: LogRecord;
  readonly before?: KnownBefore & { readonly attempts: number };
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
  const tried = new Map<Incoming, number>();
  const newWork = () => new StageWork(open, parts, handler.name);
  const layAside = async (incoming: Incoming, fault: { code: string; message: string }) => {
    const before = tried.get(incoming) ?? 0;
    const work = newWork();
    await work.addLetter(incoming, fault, before + Math.max(1, attempts.get(incoming) ?? 1));
    await work.finish();
    open.afterCommit(() => traceFault(parts.tracing, handler, incoming, fault));
  };

  const readable: Incoming[] = [];
  const decoded = records.map(({ record, before }) => {
    const incoming = decodeRecord(handler.topic, incarnation, record, before);
    if (before !== undefined) tried.set(incoming, before.attempts);
    return incoming;
  });
  for (const incoming of await withoutForgotten(open, incarnation, decoded, aboutProblem)) {
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

const aboutProblem = (incoming: Incoming) => ({
  record: incoming.record,
  problemIds: incoming.kind === 'event' ? problemIdsOf(incoming.event.value) : [],
});
