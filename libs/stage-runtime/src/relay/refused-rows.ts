import { headerNames } from '@tidemark/event-log';
import type { Origin } from '../api.ts';
import { traceparentIn } from '../consume/origin-codec.ts';
import { deadLetters, topicSpec } from '../ensure-topics.ts';
import { errorFields } from '../observe/logger.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { type RefusedRecord, readRefused } from './outbox-rows.ts';

/** Stands in a letter for what was to be published and was refused, where other letters name who could not read it. */
export const outboxHandler = (service: string): string => `${service}/outbox`;

/** Letters of one turn. */
const MAX_ROWS = 20;
/** A letter that could not be written is tried again after this, in ms. */
const AGAIN_MS = 5_000;

/** Lays events aside that the log refuses for good, as letters of their topic: to be shown, replayed, dropped. */
export class RefusedRows {
  private againAt = 0;
  private readonly concern: string;

  constructor(
    private readonly parts: StageParts,
    private readonly shard: number,
  ) {
    this.concern = `outbox ${shard}`;
  }

  /** What can't be laid aside (a letter that is refused itself, a blob store that is away) is a reason not to be ready. */
  async layAside(): Promise<void> {
    if (performance.now() < this.againAt) return;
    const { board, transactions, logger } = this.parts;
    const rows = await readRefused(transactions, this.shard, MAX_ROWS);
    let left: RefusedRecord | undefined;
    for (const row of rows) {
      try {
        if (isLetter(row)) left ??= row;
        else await this.toLetter(row);
      } catch (error) {
        logger.warn({ shard: this.shard, row: String(row.id), ...errorFields(error) }, 'a refused event stays');
        left ??= row;
      }
    }
    this.againAt = left === undefined ? 0 : performance.now() + AGAIN_MS;
    if (left === undefined) board.clear(this.concern);
    else
      board.set(this.concern, `the log refuses an event of ${left.topic} (row ${left.id} of outbox): ${left.reason}`);
  }

  private async toLetter(row: RefusedRecord): Promise<void> {
    const { log, transactions, identity } = this.parts;
    await log.admin.ensureTopics([topicSpec(deadLetters(row.topic, identity.service), 1)]);
    const name = outboxHandler(identity.service);
    await transactions.run(name, async (open) => {
      const gone = await open.query(
        'DELETE FROM outbox WHERE shard = $1 AND id = $2 AND refused IS NOT NULL RETURNING 1',
        [this.shard, row.id],
      );
      if (gone.length === 0) return;
      const work = new StageWork(open, this.parts, name);
      await work.addLetter(originOf(row), { code: 'refused_by_log', message: row.reason }, 1);
      await work.finish();
    });
  }
}

const isLetter = ({ topic }: RefusedRecord): boolean => topic.endsWith('.dlq.v1');

/** It was never in the log: it has no place there, and its time is that of its letter. */
function originOf({ id, topic, key, value, headers }: RefusedRecord): Origin {
  const eventId = headers[headerNames.id];
  const record = { topic, partition: 0, offset: 0n, timestampMs: Date.now(), key, value, headers };
  return {
    id: eventId === undefined ? `outbox/${id}` : new TextDecoder().decode(eventId),
    traceparent: traceparentIn(record),
    record,
    revision: undefined,
    replays: 0,
  };
}
