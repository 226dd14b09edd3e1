import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Injectable } from '@nestjs/common';
import { BlobError, BlobStore } from '@tidemark/blob-store';
import { type LogRecord, topics } from '@tidemark/event-log';
import { type DeadLetter, DeadLetterSchema, type RolloutsGraded, type Submitter } from '@tidemark/proto';
import { type StageTransaction, wholeLetter } from '@tidemark/stage-runtime';
import { addVerdictCounts } from '../on-rollouts-graded/add-verdict-counts.ts';
import { type GroupRow, groupRowOf, refuseGroups } from '../on-rollouts-graded/graded-group.ts';
import { type RowOf, upsertRows } from '../postgres/table.ts';
import { deadLetters } from '../postgres/tables.ts';
import type { FollowedTopic } from './log-follower.ts';
import { decodeRecord } from '../topics/decode-record.ts';
import { VisibleStates } from './visible-states.ts';

/** `<topic>.<service>.dlq.v1` → which records lie aside, of which problem or of which line of which file. */
@Injectable()
export class DeadLetterTopics implements FollowedTopic {
  readonly compacted = false;

  constructor(
    private readonly states: VisibleStates,
    private readonly blobs: BlobStore,
  ) {}

  async apply(tx: StageTransaction, topic: string, records: readonly LogRecord[]): Promise<void> {
    const rows: RowOf<typeof deadLetters>[] = [];
    const refused: GroupRow[] = [];
    for (const record of records) {
      if (record.value === null) continue;
      const letter = fromBinary(DeadLetterSchema, record.value);
      const whole = await this.whole(letter);
      rows.push(rowOf(topic, record, letter, subjectOf(whole)));
      refused.push(...refusedGroupOf(whole));
    }
    const ids = rows.map(({ problem_id }) => problem_id).filter((id) => typeof id === 'string');
    await this.states.refresh(tx, ids, () => upsertRows(tx, deadLetters, rows));
    await addVerdictCounts(tx, await refuseGroups(tx, refused), -1);
    await putAwayRepeated(tx, topic);
  }

  /** What lies in a store that is out of reach is listed without its subject. */
  private async whole(letter: DeadLetter): Promise<DeadLetter> {
    try {
      return await wholeLetter(this.blobs, letter);
    } catch (error) {
      if (error instanceof BlobError) return letter;
      throw error;
    }
  }

  async trimmed(tx: StageTransaction, topic: string, partition: number, logStart: bigint): Promise<void> {
    await tx.query(
      `UPDATE dead_letter SET state = 'expired'
       WHERE dlq_topic = $1 AND dlq_partition = $2 AND dlq_offset < $3 AND state = 'open'`,
      [topic, partition, logStart],
    );
  }

  async reset(tx: StageTransaction, topic: string): Promise<void> {
    await tx.query('DELETE FROM dead_letter WHERE dlq_topic = $1', [topic]);
  }
}

/**
 * A line that was sent again and laid aside again is one thing to decide about: the newest letter stays open. Event ids
 * of the gateway derive from the content of the upload and the line, so that the same id from the same line is the same.
 */
async function putAwayRepeated(tx: StageTransaction, topic: string): Promise<void> {
  await tx.query(
    `UPDATE dead_letter AS l SET state = 'dropped', decided_by = 'sent again', decided_at = now()
     WHERE l.dlq_topic = $1 AND l.state = 'open' AND l.event_id <> '' AND l.source_file IS NOT NULL
       AND l.topic IN ('problems.intake.v1', 'rollouts.intake.v1')
       AND EXISTS (SELECT FROM dead_letter AS n
         WHERE n.dlq_topic = l.dlq_topic AND n.state = 'open' AND n.event_id = l.event_id AND n.error_code = l.error_code
           AND n.source_file = l.source_file AND n.source_record = l.source_record
           AND (n.dead_lettered_at, n.dlq_partition, n.dlq_offset) > (l.dead_lettered_at, l.dlq_partition, l.dlq_offset))`,
    [topic],
  );
}

interface Subject {
  readonly problemId?: string;
  readonly version?: number;
  readonly submitter?: Submitter;
}

function rowOf(
  dlqTopic: string,
  { partition, offset }: LogRecord,
  letter: DeadLetter,
  { problemId, version, submitter }: Subject,
): RowOf<typeof deadLetters> {
  return {
    dlq_topic: dlqTopic,
    dlq_partition: partition,
    dlq_offset: offset,
    topic: letter.topic,
    service: letter.service,
    problem_id: problemId ?? null,
    version: version ?? null,
    source_file: submitter?.sourceFile || null,
    source_record: submitter?.sourceRecord ?? null,
    event_id: letter.eventId,
    replays: letter.replays,
    error_code: letter.errorCode,
    error_message: letter.errorMessage,
    attempts: letter.attempts,
    dead_lettered_at: letter.deadLetteredAt === undefined ? null : timestampDate(letter.deadLetteredAt),
  };
}

/** What the record laid aside speaks of, as far as it can be read; what its key says where it can't. */
function subjectOf(letter: DeadLetter): Subject {
  const message = letter.value === undefined ? undefined : decodeRecord(letter.topic, letter.value);
  const fields = (message ?? {}) as Subject;
  const key = new TextDecoder().decode(letter.key ?? new Uint8Array());
  const problemId = /^problems\.(?!intake)/.test(letter.topic) ? (fields.problemId ?? keyedProblem(key)) : undefined;
  return {
    ...(problemId !== undefined && { problemId }),
    ...(fields.version !== undefined && { version: fields.version }),
    ...(fields.submitter !== undefined && { submitter: fields.submitter }),
  };
}

/** A group that calibrate would not count. */
function refusedGroupOf(letter: DeadLetter): GroupRow[] {
  if (letter.service !== 'calibrate' || letter.topic !== topics.rolloutsGraded.name || !letter.value) return [];
  const graded = decodeRecord(letter.topic, letter.value);
  return graded === undefined ? [] : [groupRowOf(graded as RolloutsGraded)];
}

const keyedProblem = (key: string): string | undefined => /^[0-9a-f]{32}/.exec(key)?.[0];
