import { createHash } from 'node:crypto';
import type { EventLog, LogRecord } from '@tidemark/event-log';
import type { Sql } from '../api.ts';

/** What stays of a problem that is forgotten. */
export const problemHash = (problemId: string): string =>
  createHash('sha256').update(`forgotten problem\0${problemId}`).digest('hex').slice(0, 40);

/** Stands where another problem's row or record spoke of it; as long as an id, so that messages keep their lengths. */
export const placeholderOf = (problemId: string): string => `forgotten${problemHash(problemId).slice(0, 23)}`;

/** From where on records of a topic pass again. */
interface Pass {
  readonly incarnation: string;
  /** By partition. */
  readonly from: readonly string[];
}

type Forgotten = ReadonlyMap<string, Readonly<Record<string, Pass>> | undefined>;

/** A record with what is known of the problem that it is about. */
export interface AboutProblem {
  readonly record: Pick<LogRecord, 'topic' | 'partition' | 'offset' | 'key'>;
  /** Ids that its message gives, where it does. */
  readonly problemIds: readonly string[];
}

/**
 * Leaves out records about problems that were forgotten after they were written: read again or late, they must not bring
 * a problem back. What is written after the forgetting passes: the problem was offered anew.
 *
 * @param incarnation of the topic; empty for a dead letter, whose place tells enough
 */
export async function withoutForgotten<T>(
  sql: Sql,
  incarnation: string,
  records: readonly T[],
  about: (record: T) => AboutProblem,
): Promise<readonly T[]> {
  const rows = await sql.query<{ problem_hash: string; passes: Record<string, Pass> | null }>(
    'SELECT problem_hash, passes FROM forgotten_problems',
  );
  if (rows.length === 0) return records;
  const forgotten: Forgotten = new Map(rows.map(({ problem_hash, passes }) => [problem_hash, passes ?? undefined]));
  return records.filter((record) => {
    const { record: place, problemIds } = about(record);
    const ids = [...problemIds, ...idsIn(place.key ?? new Uint8Array())];
    return !ids.some((id) => isBefore(forgotten, problemHash(id), place, incarnation));
  });
}

function isBefore(
  forgotten: Forgotten,
  hash: string,
  { topic, partition, offset }: AboutProblem['record'],
  incarnation: string,
): boolean {
  if (!forgotten.has(hash)) return false;
  const passes = forgotten.get(hash);
  if (passes === undefined) return true;
  const pass = passes[topic];
  if (pass === undefined || (incarnation !== '' && incarnation !== pass.incarnation)) return false;
  return offset < BigInt(pass.from[partition] ?? '0');
}

/** Ids of problems that stand in a key: 32 hexadecimal digits, with something else around them. */
const idsIn = (key: Uint8Array): string[] =>
  Buffer.from(key.buffer, key.byteOffset, key.length)
    .toString('latin1')
    .match(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g) ?? [];

/** Ids that a message gives of the problem that it is about. */
export function problemIdsOf(message: unknown): string[] {
  const { problemId, group } = (message ?? {}) as { problemId?: unknown; group?: { problemId?: unknown } };
  return [problemId, group?.problemId].filter((id) => typeof id === 'string');
}

/** Nothing about the problem comes in from now on. */
export async function closeTo(sql: Sql, problemId: string): Promise<void> {
  await sql.query(
    `INSERT INTO forgotten_problems (problem_hash) VALUES ($1)
     ON CONFLICT (problem_hash) DO UPDATE SET forgotten_at = now(), passes = NULL`,
    [problemHash(problemId)],
  );
}

/** What is written to the topics from now on may speak of the problem: it was offered anew. */
export async function openTo(sql: Sql, log: EventLog, problemId: string, consumed: readonly string[]): Promise<void> {
  const described = await log.admin.describeAll(consumed);
  const passes = Object.fromEntries(
    [...described.values()].map(({ name, incarnation, partitions }): [string, Pass] => [
      name,
      { incarnation, from: partitions.map(({ logEnd }) => String(logEnd)) },
    ]),
  );
  await sql.query('UPDATE forgotten_problems SET passes = $2 WHERE problem_hash = $1', [
    problemHash(problemId),
    JSON.stringify(passes),
  ]);
}
