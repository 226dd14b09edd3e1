import { fromBinary } from '@bufbuild/protobuf';
import {
  curatedTopic,
  type EventLog,
  headerNames,
  type LogRecord,
  type ServiceName,
  topics,
} from '@tidemark/event-log';
import type { AnyTopic, Sql } from '../api.ts';
import { revisionOf } from '../outbox/revision-field.ts';

const KEYS_A_STATEMENT = 2_000;

/**
 * Raises the revisions that a service has published to those that the log holds. A database that was restored from a
 * backup is behind the log: what it says next would bear revisions that readers know already, and pass over.
 *
 * @returns how many keys were raised
 */
export async function raiseRevisionsToLog(sql: Sql, log: EventLog, service: ServiceName): Promise<number> {
  let raised = 0;
  for (const topic of await compactedTopicsOf(log, service)) {
    for (const [partition, { logStart, logEnd }] of (
      (await log.admin.describe(topic.name))?.partitions ?? []
    ).entries()) {
      const newest = new Map<string, bigint>();
      const signal = new AbortController().signal;
      for await (const record of log.read({ topic: topic.name, partition, from: logStart, until: logEnd, signal })) {
        const key = Buffer.from(record.key ?? []).toString('hex');
        const revision = revisionIn(topic, record);
        if (revision > (newest.get(key) ?? 0n)) newest.set(key, revision);
        if (newest.size < KEYS_A_STATEMENT) continue;
        raised += await raise(sql, topic.name, newest);
        newest.clear();
      }
      raised += await raise(sql, topic.name, newest);
    }
  }
  return raised;
}

async function raise(sql: Sql, topic: string, newest: ReadonlyMap<string, bigint>): Promise<number> {
  const rows = await sql.query(
    `INSERT INTO outgoing_revisions AS r (topic, key, revision)
     SELECT $1, decode(key, 'hex'), revision FROM unnest($2::text[], $3::bigint[]) AS n (key, revision)
     ON CONFLICT (topic, key) DO UPDATE SET revision = excluded.revision WHERE r.revision < excluded.revision
     RETURNING 1`,
    [topic, [...newest.keys()], [...newest.values()]],
  );
  return rows.length;
}

async function compactedTopicsOf(log: EventLog, service: ServiceName): Promise<readonly AnyTopic[]> {
  const names = new Set(await log.admin.list());
  const fixed = Object.values(topics).filter(({ name, cleanup, writtenBy }) => {
    return names.has(name) && cleanup === 'compact' && writtenBy.some((writer) => writer === service);
  });
  if (service !== 'select') return fixed;
  const slugs = [...names].flatMap((name) => /^curated\.(.+)\.v1$/.exec(name)?.[1] ?? []);
  return [...fixed, ...slugs.map(curatedTopic)];
}

function revisionIn(topic: AnyTopic, { value, headers }: LogRecord): bigint {
  try {
    if (value !== null) return revisionOf(topic.schema, fromBinary(topic.schema, value));
    return BigInt(Buffer.from(headers[headerNames.revision] ?? []).toString() || '0');
  } catch {
    // What nobody can read has no revision.
    return 0n;
  }
}
