import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type TargetDeclared, TargetDeclaredSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

export async function saveTargets(sql: Sql, targets: readonly TargetDeclared[]): Promise<void> {
  await sql.query(
    `INSERT INTO targets (target, version, declared_event)
     SELECT * FROM unnest($1::text[], $2::int[], $3::bytea[])
     ON CONFLICT (target, version) DO UPDATE SET declared_event = excluded.declared_event`,
    [
      targets.map(({ target }) => target),
      targets.map(({ version }) => version),
      targets.map((one) => Buffer.from(toBinary(TargetDeclaredSchema, one))),
    ],
  );
}

export async function readTarget(sql: Sql, target: string, version: number): Promise<TargetDeclared | undefined> {
  const [row] = await sql.query<{ declared_event: Uint8Array }>(
    'SELECT declared_event FROM targets WHERE target = $1 AND version = $2',
    [target, version],
  );
  return row && fromBinary(TargetDeclaredSchema, row.declared_event);
}
