import { fromBinary } from '@bufbuild/protobuf';
import type { BlobStore } from '@tidemark/blob-store';
import { DeadLetterSchema, ServiceOrderSchema } from '@tidemark/proto';
import type { Sql } from '../api.ts';
import type { StageParts } from '../stage-parts.ts';
import { hashesIn } from './hash-runs.ts';
import { asText, searchableTables } from './searchable-tables.ts';

/**
 * What may be names of blobs in all tables of the service, as one moment has them. What a letter on its way holds by
 * reference alone is looked into.
 */
export async function markedByTables({ transactions, blobs }: StageParts): Promise<ReadonlySet<string>> {
  const marked = new Set<string>();
  const letters: Uint8Array[] = [];
  // One snapshot: a row that becomes an event meanwhile is seen as the one or as the other.
  await transactions.run('mark-blobs', (open) => readMarks(open, marked, letters), 'repeatable read');
  for (const letter of letters) for (const hash of await hashesInRecordOf(blobs, letter)) marked.add(hash);
  return marked;
}

async function readMarks(sql: Sql, marked: Set<string>, letters: Uint8Array[]): Promise<void> {
  await sql.query('SET LOCAL statement_timeout = 0');
  for (const { name, columns } of await searchableTables(sql)) {
    const rows = await sql.query<{ run: string }>(
      `SELECT DISTINCT m[1] AS run FROM ${name},
         LATERAL regexp_matches(concat_ws(' ', ${columns.map(asText).join(', ')}), '[0-9a-f]{64,}', 'g') AS m`,
    );
    for (const { run } of rows) for (const hash of hashesIn(run)) marked.add(hash);
  }
  const rows = await sql.query<{ value: Buffer }>(
    `SELECT value FROM outbox WHERE value IS NOT NULL AND (topic LIKE '%.dlq.v1' OR topic LIKE 'orders.%')`,
  );
  letters.push(...rows.map(({ value }) => value));
}

/**
 * What a record that is too large for its letter names: the letter names but the blob that holds the record.
 *
 * @param value of a record of dead letters or of orders
 */
export async function hashesInRecordOf(blobs: BlobStore, value: Uint8Array): Promise<readonly string[]> {
  const sha256 = recordIn(value);
  if (sha256 === undefined) return [];
  // A blob that is gone names nothing.
  const record = await blobs.get(sha256).catch(() => undefined);
  return record === undefined ? [] : [...hashesIn(record)];
}

function recordIn(value: Uint8Array): string | undefined {
  try {
    const letter = fromBinary(DeadLetterSchema, value).record;
    if (letter !== undefined) return letter.sha256;
  } catch {
    // It is an order, or nothing that can be read.
  }
  try {
    const { order } = fromBinary(ServiceOrderSchema, value);
    return order.case === 'replay' ? order.value.record?.sha256 : undefined;
  } catch {
    return undefined;
  }
}

/** A list of hashes as a blob. @returns its hash */
export const storeHashes = (blobs: BlobStore, hashes: Iterable<string>): Promise<string> =>
  blobs.put(new TextEncoder().encode([...hashes].sort().join('\n')));

/** What {@link storeHashes} stored. @throws BlobError */
export async function readHashes(blobs: BlobStore, sha256: string): Promise<readonly string[]> {
  const text = new TextDecoder().decode(await blobs.get(sha256));
  return text === '' ? [] : text.split('\n');
}
