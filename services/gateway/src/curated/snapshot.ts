import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BasicType, type ColumnSource, fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

/** Rows that are held in memory, and the size of a row group. */
const GROUP_ROWS = 500;

type Cell = string | number | boolean;

/** The columns of a snapshot, by the fields of a curated problem's JSON; what is nested is JSON text. */
const columns: readonly { readonly name: string; readonly type: BasicType }[] = [
  { name: 'rank', type: 'INT32' },
  ...['problem_id', 'title', 'statement', 'starter_code', 'entry_point', 'task_kind', 'test_form'].map(text),
  ...['languages', 'suite_hash', 'public_tests', 'limits', 'origin', 'facets', 'bin'].map(text),
  { name: 'version', type: 'INT32' },
  { name: 'predicted', type: 'BOOLEAN' },
  { name: 'value', type: 'DOUBLE' },
  { name: 'mean', type: 'DOUBLE' },
  { name: 'interval', type: 'STRING' },
  { name: 'attempts', type: 'INT32' },
  { name: 'passes', type: 'INT32' },
];

function text(name: string): { name: string; type: BasicType } {
  return { name, type: 'STRING' };
}

/**
 * Writes problems as a Parquet file without a name: however this process ends, nothing of it stays on the disk. Memory
 * holds one row group.
 *
 * @returns the file, for who closes it
 */
export async function parquetFile(problems: AsyncIterable<object>): Promise<FileHandle> {
  const path = join(tmpdir(), `tidemark-snapshot-${randomUUID()}.parquet`);
  try {
    const schema = schemaFromColumnData({ columnData: columnData([]) });
    const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'tidemark' });
    let rows: object[] = [];
    for await (const problem of problems) {
      if (rows.push(problem) < GROUP_ROWS) continue;
      await writer.write({ columnData: columnData(rows) });
      rows = [];
    }
    if (rows.length > 0) await writer.write({ columnData: columnData(rows) });
    await writer.finish();
    return await open(path, 'r');
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

const columnData = (rows: readonly object[]): ColumnSource[] =>
  columns.map(({ name, type }) => ({
    name,
    type,
    nullable: false,
    data: rows.map((row) => cellOf((row as Readonly<Record<string, unknown>>)[name], type)),
  }));

function cellOf(value: unknown, type: BasicType): Cell {
  if (type === 'STRING') return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  if (type === 'BOOLEAN') return value === true;
  return typeof value === 'number' ? value : 0;
}
