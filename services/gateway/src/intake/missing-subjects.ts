import type { Sql } from '@tidemark/stage-runtime';

/** What a group of attempts speaks of. */
export interface GroupSubject {
  readonly target: string;
  readonly checkpoint: string;
  readonly problem_id: string;
}

/** What a group waits for before it can be graded. */
export interface Missing {
  readonly kind: 'target' | 'checkpoint' | 'problem';
  readonly name: string;
}

/**
 * What is not known here of what groups speak of, in the order in which ingest asks for it. A problem may be known a
 * moment later: it is offered on the same way.
 *
 * @returns one entry a group; undefined where nothing is missing
 */
export async function missingOf(sql: Sql, groups: readonly GroupSubject[]): Promise<(Missing | undefined)[]> {
  if (groups.length === 0) return [];
  const rows = await sql.query<{ ordinality: bigint; kind: Missing['kind'] }>(
    `SELECT g.ordinality, CASE WHEN t.target IS NULL THEN 'target' WHEN c.checkpoint IS NULL THEN 'checkpoint'
         ELSE 'problem' END AS kind
     FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS g (target, checkpoint, problem_id, ordinality)
     LEFT JOIN target AS t ON t.target = g.target
     LEFT JOIN checkpoint AS c ON c.target = g.target AND c.checkpoint = g.checkpoint
     LEFT JOIN problem AS p ON p.problem_id = g.problem_id AND NOT (p.state = 'rejected' AND p.stage = 'ingest')
     WHERE t.target IS NULL OR c.checkpoint IS NULL OR p.problem_id IS NULL`,
    [
      groups.map(({ target }) => target),
      groups.map(({ checkpoint }) => checkpoint),
      groups.map(({ problem_id }) => problem_id),
    ],
  );
  const kinds = new Map(rows.map(({ ordinality, kind }) => [Number(ordinality) - 1, kind]));
  return groups.map((group, index) => {
    const kind = kinds.get(index);
    return kind === undefined ? undefined : { kind, name: nameOf(kind, group) };
  });
}

function nameOf(kind: Missing['kind'], { target, checkpoint, problem_id }: GroupSubject): string {
  if (kind === 'problem') return problem_id;
  return kind === 'target' ? target : `${checkpoint} of ${target}`;
}
