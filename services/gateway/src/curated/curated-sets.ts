import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { headerNames, type LogRecord } from '@tidemark/event-log';
import { type CuratedProblem, CuratedProblemSchema } from '@tidemark/proto';
import type { StageTransaction } from '@tidemark/stage-runtime';
import { curatedProblems } from '../postgres/tables.ts';
import type { FollowedTopic } from '../read-model/log-follower.ts';
import { dateOf } from '../read-model/json.ts';
import { type RowOf, upsertRows } from '../postgres/table.ts';

/** `curated.<target>.v1` → the working set of each target, as it is now. */
@Injectable()
export class CuratedSets implements FollowedTopic {
  readonly compacted = true;

  async apply(tx: StageTransaction, topic: string, records: readonly LogRecord[]): Promise<void> {
    const target = targetOf(topic);
    const newest = new Map<string, LogRecord>();
    for (const record of records) if (record.key !== null) newest.set(textOf(record.key), record);
    const known = await revisionsOf(tx, target, [...newest.keys()]);
    const entered: RowOf<typeof curatedProblems>[] = [];
    const left: string[] = [];
    for (const [problemId, record] of newest) {
      const message = record.value === null ? undefined : fromBinary(CuratedProblemSchema, record.value);
      const revision = message?.revision ?? tombstoneRevision(record);
      // A relay that died after publishing publishes again: an older record is no news.
      if (revision < (known.get(problemId) ?? 0n)) continue;
      if (message === undefined) left.push(problemId);
      else entered.push(rowOf(target, message, record.value as Uint8Array));
    }
    await upsertRows(tx, curatedProblems, entered);
    await tx.query('DELETE FROM curated WHERE target = $1 AND problem_id = ANY ($2::text[])', [target, left]);
  }

  async reset(tx: StageTransaction, topic: string): Promise<void> {
    await tx.query('DELETE FROM curated WHERE target = $1', [targetOf(topic)]);
  }
}

async function revisionsOf(tx: StageTransaction, target: string, ids: readonly string[]) {
  const rows = await tx.query<{ problem_id: string; revision: bigint }>(
    'SELECT problem_id, revision FROM curated WHERE target = $1 AND problem_id = ANY ($2::text[])',
    [target, ids],
  );
  return new Map(rows.map(({ problem_id, revision }) => [problem_id, revision]));
}

const rowOf = (target: string, message: CuratedProblem, bytes: Uint8Array): RowOf<typeof curatedProblems> => ({
  target,
  problem_id: message.problemId,
  revision: message.revision,
  bin: message.bin,
  predicted: message.predicted,
  retest: message.retest,
  value: message.value,
  message: bytes,
  published_at: dateOf(message.publishedAt),
});

function tombstoneRevision({ headers }: LogRecord): bigint {
  const text = headers[headerNames.revision];
  return text === undefined ? 0n : BigInt(textOf(text));
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const targetOf = (topic: string): string => topic.slice('curated.'.length, -'.v1'.length);
