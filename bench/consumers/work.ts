import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type EventLog, type OutgoingRecord, topics } from '@tidemark/event-log';
import { type ProblemNormalized, ProblemNormalizedSchema, type ProblemRaw, ProblemRawSchema } from '@tidemark/proto';

/** What every contender does with an event: decode, decide, one row of state, one event that follows. */
export const TABLE = 'CREATE TABLE IF NOT EXISTS handled (problem_id text PRIMARY KEY, version int NOT NULL)';
export const UPSERT_MANY = `INSERT INTO handled SELECT * FROM unnest($1::text[], $2::int[])
  ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version`;
export const UPSERT_ONE = `INSERT INTO handled VALUES ($1, $2)
  ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version`;

export const decode = (bytes: Uint8Array): ProblemRaw => fromBinary(ProblemRawSchema, bytes);

export const decide = ({ problemId, version, content }: ProblemRaw): ProblemNormalized =>
  create(ProblemNormalizedSchema, { problemId, version, content: { title: content?.title ?? '' } });

export const encode = (message: ProblemNormalized): Buffer => Buffer.from(toBinary(ProblemNormalizedSchema, message));

/** Writes `count` events of half a kilobyte, each of a key of its own. */
export async function fill(log: EventLog, partitions: number, count: number): Promise<void> {
  const { name } = topics.problemsRaw;
  const kept = { cleanup: 'compact', retentionMs: 86_400_000, logAppendTime: false } as const;
  await log.admin.ensureTopics([
    { name, partitions, ...kept },
    { name: topics.problemsNormalized.name, partitions, ...kept },
  ]);
  const writer = await log.writer('bench.fill');
  for (let from = 0; from < count; from += 1_000) {
    const records = Array.from({ length: Math.min(1_000, count - from) }, (_, i) => recordOf(`problem-${from + i}`));
    await writer.transaction(() => Promise.resolve(records));
  }
  await writer.close();
}

function recordOf(problemId: string): OutgoingRecord {
  const message = create(ProblemRawSchema, {
    problemId,
    version: 1,
    revision: 1n,
    content: { title: `${problemId} `.padEnd(480, 'lorem ipsum ') },
  });
  const headers = { ce_id: Buffer.from(`event-of-${problemId}`) };
  return {
    topic: topics.problemsRaw.name,
    key: Buffer.from(problemId),
    value: toBinary(ProblemRawSchema, message),
    headers,
  };
}

/** Starts with the first event in hand, and ends when the last one is done. */
export class Clock {
  #began: number | undefined;
  readonly #ended = Promise.withResolvers<number>();

  begin(): void {
    this.#began ??= performance.now();
  }

  end(): void {
    this.#ended.resolve(performance.now());
  }

  async seconds(): Promise<number> {
    return ((await this.#ended.promise) - (this.#began ?? 0)) / 1_000;
  }
}
