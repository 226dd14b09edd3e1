import type { Sql } from '../api.ts';

/** A column that may hold words. */
export interface SearchableColumn {
  /** Quoted, to be put into a statement. */
  readonly name: string;
  readonly type: 'text' | 'bytea' | 'json' | 'text[]';
}

/** A table of the service's schema. */
export interface SearchableTable {
  readonly name: string;
  readonly columns: readonly SearchableColumn[];
  /** Whether its rows are each about one problem, named in `problem_id`. */
  readonly ofProblems: boolean;
}

/** Tables that hold names and counts alone. */
const WITHOUT_CONTENT = ['consumed_offsets', 'forgotten_problems', 'leases', 'migrations', 'timers'];

/** Every table of the service's schema that may hold something of a problem, with the columns that may. */
export async function searchableTables(sql: Sql): Promise<readonly SearchableTable[]> {
  const rows = await sql.query<{ table: string; column: string; quoted: string; type: string }>(
    `SELECT c.relname AS table, a.attname AS column, quote_ident(a.attname) AS quoted, format_type(a.atttypid, NULL) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND c.relname <> ALL ($1::text[])
     ORDER BY c.relname, a.attnum`,
    [WITHOUT_CONTENT],
  );
  return [...Map.groupBy(rows, ({ table }) => table)].flatMap(([table, columns]) => {
    const searchable = columns.flatMap(({ quoted, type }): SearchableColumn[] => {
      const kind = KINDS[type];
      return kind === undefined ? [] : [{ name: quoted, type: kind }];
    });
    const ofProblems = columns.some(({ column, type }) => column === 'problem_id' && type === 'text');
    return searchable.length === 0 ? [] : [{ name: `"${table}"`, columns: searchable, ofProblems }];
  });
}

const KINDS: Readonly<Record<string, SearchableColumn['type']>> = {
  text: 'text',
  'character varying': 'text',
  bytea: 'bytea',
  json: 'json',
  jsonb: 'json',
  'text[]': 'text[]',
};

/** A column as one text in which digits and plain words stand as they are. */
export const asText = ({ name, type }: SearchableColumn): string =>
  type === 'bytea' ? `encode(${name}, 'escape')` : `${name}::text`;
