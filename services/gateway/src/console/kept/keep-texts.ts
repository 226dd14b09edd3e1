import { toBinary } from '@bufbuild/protobuf';
import { type Payload, PayloadSchema, type ProblemContent, type ProblemVerified } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { deleteRows, type RowOf, upsertRows } from '../../postgres/table.ts';
import { keptTexts, type TextKind } from './tables.ts';

interface WithContent {
  readonly problemId: string;
  readonly version: number;
  readonly content?: ProblemContent | undefined;
}

/** Keeps what a person compares: the text as it came, or as it was cleaned. */
export async function keepContents(
  sql: Sql,
  kind: Extract<TextKind, 'original' | 'cleaned'>,
  events: readonly WithContent[],
): Promise<void> {
  await upsertRows(
    sql,
    keptTexts,
    events.map(({ problemId, version, content }) =>
      rowOf(problemId, kind, version, content?.statement, {
        title: content?.title ?? '',
        starter_code: content?.starterCode ?? '',
      }),
    ),
  );
}

/** Drops the texts of problems whose records are gone. */
export async function dropTexts(sql: Sql, kind: TextKind, problemIds: readonly string[]): Promise<void> {
  await deleteRows(
    sql,
    keptTexts,
    problemIds.map((id) => [id, kind]),
  );
}

/** Keeps where the suites lie that judge. */
export async function keepSuites(sql: Sql, events: readonly ProblemVerified[]): Promise<void> {
  await upsertRows(
    sql,
    keptTexts,
    events.map(({ problemId, version, suite, suiteHash }) =>
      rowOf(problemId, 'suite', version, suite, { suite_hash: suiteHash }),
    ),
  );
}

const rowOf = (
  problemId: string,
  kind: TextKind,
  version: number,
  payload: Payload | undefined,
  details: Readonly<Record<string, string>>,
): RowOf<typeof keptTexts> => ({
  problem_id: problemId,
  kind,
  version,
  payload: payload === undefined ? null : toBinary(PayloadSchema, payload),
  details,
});
