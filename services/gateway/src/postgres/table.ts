import type { Sql } from '@tidemark/stage-runtime';

/** PostgreSQL types that rows are written in. `jsonb` columns take any JSON value. */
export type ColumnType =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'smallint'
  | 'boolean'
  | 'double precision'
  | 'timestamptz'
  | 'bytea'
  | 'jsonb';

/** A table of the read model, as far as writing rows needs it. */
export interface Table<Column extends string = string> {
  readonly name: string;
  readonly columns: Readonly<Record<Column, ColumnType>>;
  readonly key: readonly NoInfer<Column>[];
}

/** A row: every column must be given; null where nothing is known. */
export type RowOf<T extends Table> = Readonly<Record<keyof T['columns'] & string, unknown>>;

export const table = <Column extends string>(
  name: string,
  columns: Readonly<Record<Column, ColumnType>>,
  key: readonly NoInfer<Column>[],
): Table<Column> => ({ name, columns, key });

/** Writes rows over those with the same key: one statement, in the order of the keys. Of equal keys the last one counts. */
export async function upsertRows<T extends Table>(sql: Sql, target: T, rows: readonly RowOf<T>[]): Promise<void> {
  if (rows.length === 0) return;
  const sets = Object.keys(target.columns).filter((column) => !target.key.includes(column));
  const action = sets.length === 0 ? 'NOTHING' : `UPDATE SET ${sets.map((c) => `${c} = excluded.${c}`).join(', ')}`;
  await sql.query(
    `${insertOf(target)} ON CONFLICT (${target.key.join(', ')}) DO ${action}`,
    parametersOf(target, uniqueRows(target, rows)),
  );
}

/** Writes the rows whose keys are new. @returns the rows that were */
export async function insertNewRows<T extends Table>(
  sql: Sql,
  target: T,
  rows: readonly RowOf<T>[],
): Promise<RowOf<T>[]> {
  if (rows.length === 0) return [];
  const unique = uniqueRows(target, rows);
  const inserted = await sql.query<Record<string, unknown>>(
    `${insertOf(target)} ON CONFLICT (${target.key.join(', ')}) DO NOTHING RETURNING ${target.key.join(', ')}`,
    parametersOf(target, unique),
  );
  const fresh = new Set(inserted.map((row) => keyOf(target, row)));
  return unique.filter((row) => fresh.has(keyOf(target, row)));
}

/** Deletes rows by key; the values of each key stand in the order of the table's key. */
export async function deleteRows(sql: Sql, target: Table, keys: readonly (readonly unknown[])[]): Promise<void> {
  if (keys.length === 0) return;
  const arrays = target.key.map((column, index) => `$${index + 1}::${target.columns[column] ?? 'text'}[]`);
  await sql.query(
    `DELETE FROM ${target.name} WHERE (${target.key.join(', ')}) IN (SELECT * FROM unnest(${arrays.join(', ')}))`,
    target.key.map((_, index) => keys.map((key) => key[index])),
  );
}

function insertOf({ name, columns }: Table): string {
  const names = Object.keys(columns);
  const casts = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `INSERT INTO ${name} (${names.join(', ')}) SELECT * FROM unnest(${casts.join(', ')})`;
}

function parametersOf<T extends Table>({ columns }: T, rows: readonly RowOf<T>[]): unknown[][] {
  return Object.entries(columns).map(([column, type]) =>
    rows.map((row) => storable((row as Readonly<Record<string, unknown>>)[column], type)),
  );
}

/** The last row of each key, sorted by key, so that two writers do not wait for each other in a ring. */
function uniqueRows<T extends Table>(target: T, rows: readonly RowOf<T>[]): RowOf<T>[] {
  const byKey = new Map(rows.map((row) => [keyOf(target, row), row]));
  return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

const keyOf = ({ key }: Table, row: Readonly<Record<string, unknown>>): string =>
  key.map((column) => String(row[column])).join('\0');

/** PostgreSQL holds no NUL in text, nor escaped in JSON. */
function storable(value: unknown, type: ColumnType): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'jsonb') return JSON.stringify(value, (_, inner: unknown) => plain(inner));
  if (type === 'bytea') return Buffer.from(value as Uint8Array);
  return plain(value);
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
