import type { QueryRunner } from 'typeorm';

/** Runs a statement and answers its rows, those of `RETURNING` too. */
export async function rowsOf<Row>(
  runner: QueryRunner,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await runner.query(sql, [...parameters], true);
  return (result.records ?? []) as Row[];
}
