import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type TargetDeclared, TargetDeclaredSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** Keeps declarations; a version's newest one replaces the one before. */
export async function saveTargets(sql: Sql, declarations: readonly TargetDeclared[]): Promise<void> {
  await sql.query(
    `INSERT INTO target (target, version, declaration)
     SELECT * FROM unnest($1::text[], $2::int[], $3::bytea[])
     ON CONFLICT (target, version) DO UPDATE SET declaration = excluded.declaration`,
    [
      declarations.map(({ target }) => target),
      declarations.map(({ version }) => version),
      declarations.map((declaration) => Buffer.from(toBinary(TargetDeclaredSchema, declaration))),
    ],
  );
}

/** Every version of the targets named. */
export async function loadTargets(sql: Sql, targets: readonly string[]): Promise<readonly TargetDeclared[]> {
  const rows = await sql.query<{ declaration: Buffer }>(
    'SELECT declaration FROM target WHERE target = ANY($1::text[])',
    [targets],
  );
  return rows.map(({ declaration }) => fromBinary(TargetDeclaredSchema, declaration));
}
