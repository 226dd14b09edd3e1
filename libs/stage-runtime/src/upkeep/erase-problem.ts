import { curatedTopic, topics } from '@tidemark/event-log';
import type { AnyTopic, Sql, StageTransaction } from '../api.ts';
import { placeholderOf } from './forgotten.ts';
import { hashesIn } from './hash-runs.ts';
import { asText, type SearchableColumn, type SearchableTable, searchableTables } from './searchable-tables.ts';

/** Jobs that look after tables name what they look for. */
export const UPKEEP_JOBS = 'upkeep.';

/** What was removed. */
export interface Erased {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Names of blobs that stood in them. */
  readonly blobs: ReadonlySet<string>;
}

/**
 * Removes a problem from all tables of the service: rows about it go, rows of others that speak of it keep a placeholder.
 * Whatever the service has said of it on compacted topics gets a tombstone; how often it said something stays, under a
 * hash, so that what it says when the problem comes back is newer than the tombstone.
 *
 * @param dependents statements with the id as $1, for rows that belong to the problem's by a key of their own
 */
export async function eraseProblem(
  tx: StageTransaction,
  problemId: string,
  dependents: readonly string[],
): Promise<Erased> {
  await tx.query('SET LOCAL statement_timeout = 0');
  const rows: Record<string, number> = {};
  const blobs = new Set<string>();
  for (const statement of dependents) await tx.query(statement, [problemId]);
  for (const table of await searchableTables(tx)) {
    const { deleted, runs } = await deleteFrom(tx, table, problemId);
    for (const run of runs) for (const hash of hashesIn(run)) blobs.add(hash);
    const redacted = deletedWhole.has(table.name) ? 0 : await redactIn(tx, table, problemId);
    if (deleted + redacted > 0) rows[table.name.replaceAll('"', '')] = deleted + redacted;
  }
  await buryAll(tx, problemId);
  return { rows, blobs };
}

/** Tables of the runtime whose rows are about what they name. */
const deletedWhole: ReadonlySet<string> = new Set(['"jobs"', '"seen_revisions"', '"seen_events"', '"suspicions"']);
/** Handled by {@link buryAll}. */
const REVISIONS = '"outgoing_revisions"';

async function deleteFrom(sql: Sql, table: SearchableTable, problemId: string) {
  const condition = conditionOf(table);
  if (condition === undefined) return { deleted: 0, runs: [] };
  const text = `concat_ws(' ', ${table.columns.map(asText).join(', ')})`;
  const found = await sql.query<{ run: string | null }>(
    `WITH gone AS (DELETE FROM ${table.name} WHERE ${condition} RETURNING *)
     SELECT (SELECT string_agg(m[1], ' ') FROM regexp_matches(${text}, '[0-9a-f]{64,}', 'g') AS m) AS run FROM gone`,
    [problemId],
  );
  return { deleted: found.length, runs: found.flatMap(({ run }) => run ?? []) };
}

/** Which rows are about the problem $1. */
function conditionOf(table: SearchableTable): string | undefined {
  if (table.name === REVISIONS) return undefined;
  // Orders are on their way to others, this one's among them.
  if (table.name === '"outbox"') {
    return `topic NOT LIKE 'orders.%' AND (${holds({ name: 'key', type: 'bytea' })}
      OR topic LIKE '%.dlq.v1' AND ${holds({ name: 'value', type: 'bytea' })})`;
  }
  if (table.name === '"jobs"') return `kind NOT LIKE '${UPKEEP_JOBS}%' AND (${table.columns.map(holds).join(' OR ')})`;
  if (deletedWhole.has(table.name)) return table.columns.map(holds).join(' OR ');
  return table.ofProblems ? 'problem_id = $1' : undefined;
}

/** Whether a column holds the text $1. */
function holds({ name, type }: SearchableColumn): string {
  if (type === 'bytea') return `position(convert_to($1, 'UTF8') IN coalesce(${name}, '')) > 0`;
  return `position($1 IN coalesce(${name}::text, '')) > 0`;
}

async function redactIn(sql: Sql, { name: table, columns }: SearchableTable, problemId: string): Promise<number> {
  if (table === REVISIONS) return 0;
  let redacted = 0;
  for (const column of columns) {
    const { name, type } = column;
    const replaced: Readonly<Record<SearchableColumn['type'], string>> = {
      text: `replace(${name}, $1, $2)`,
      json: `replace(${name}::text, $1, $2)::jsonb`,
      'text[]': `replace(${name}::text, $1, $2)::text[]`,
      bytea: `decode(replace(encode(${name}, 'hex'), encode(convert_to($1, 'UTF8'), 'hex'),
        encode(convert_to($2, 'UTF8'), 'hex')), 'hex')`,
    };
    const notOrders = table === '"outbox"' ? `AND topic NOT LIKE 'orders.%'` : '';
    const rows = await sql.query(
      `UPDATE ${table} SET ${name} = ${replaced[type]} WHERE ${holds(column)} ${notOrders} RETURNING 1`,
      [problemId, placeholderOf(problemId)],
    );
    redacted += rows.length;
  }
  return redacted;
}

/** Tombstones for all that was said of the problem, and its revisions under hashes of their keys. */
async function buryAll(tx: StageTransaction, problemId: string): Promise<void> {
  const rows = await tx.query<{ topic: string; key: Buffer }>(
    `SELECT topic, key FROM outgoing_revisions WHERE ${holds({ name: 'key', type: 'bytea' })}`,
    [problemId],
  );
  for (const { topic, key } of rows) {
    const definition = definitionOf(topic);
    if (definition === undefined) continue;
    tx.publishTombstone({ id: `forget ${topic}`, traceparent: undefined }, definition, key.toString());
  }
}

/** After the tombstones were written: their revisions are the last. */
export async function hideRevisions(sql: Sql, problemId: string): Promise<void> {
  await sql.query(
    `UPDATE outgoing_revisions SET key = '\\x00'::bytea || sha256(key) WHERE ${holds({ name: 'key', type: 'bytea' })}`,
    [problemId],
  );
}

function definitionOf(topic: string): AnyTopic | undefined {
  const target = /^curated\.(.+)\.v1$/.exec(topic)?.[1];
  return target === undefined ? Object.values(topics).find(({ name }) => name === topic) : curatedTopic(target);
}

/** Where a problem is still found: rows by table. */
export interface Found {
  readonly id: Readonly<Record<string, number>>;
  /** Pieces of its texts in rows that are not another problem's. */
  readonly words: Readonly<Record<string, number>>;
  /** Rows of other problems that hold such pieces: their texts say the same. */
  readonly shared: number;
  readonly tables: number;
}

/** Looks for a problem's id, and for pieces of its texts, in every table of the service. */
export async function searchTables(sql: Sql, problemId: string, words: readonly string[]): Promise<Found> {
  await sql.query('SET LOCAL statement_timeout = 0');
  const id: Record<string, number> = {};
  const inWords: Record<string, number> = {};
  let shared = 0;
  const tables = await searchableTables(sql);
  for (const { name, columns, ofProblems } of tables) {
    const text = `concat_ws(' ', ${columns.map(asText).join(', ')})`;
    const skipped =
      name === '"jobs"'
        ? `kind NOT LIKE '${UPKEEP_JOBS}%'`
        : name === '"outbox"'
          ? `topic NOT LIKE 'orders.%'`
          : 'true';
    // A job, a waiting or an outgoing event of another problem names that problem.
    const others = ofProblems ? 'true' : `t ~ '(^|[^0-9a-f])[0-9a-f]{32}([^0-9a-f]|$)'`;
    const [row] = await sql.query<{ by_id: bigint; by_words: bigint; of_others: bigint }>(
      `SELECT count(*) FILTER (WHERE position($1 IN t) > 0) AS by_id,
         count(*) FILTER (WHERE words AND NOT ${others}) AS by_words, count(*) FILTER (WHERE words AND ${others}) AS of_others
       FROM (SELECT t, EXISTS (SELECT FROM unnest($2::text[]) AS w WHERE position(w IN t) > 0) AS words
         FROM (SELECT ${text} AS t FROM ${name} WHERE ${skipped}) AS r) AS looked`,
      [problemId, words],
    );
    const label = name.replaceAll('"', '');
    if (row === undefined) continue;
    if (row.by_id > 0n) id[label] = Number(row.by_id);
    if (row.by_words > 0n) inWords[label] = Number(row.by_words);
    shared += Number(row.of_others);
  }
  return { id, words: inWords, shared, tables: tables.length };
}
