import type { Origin, Submitter } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { originJson } from './json.ts';

/** What an event says of a problem beside its state. Empty text and absent parts are not said. */
export interface ProblemName {
  readonly problemId: string;
  readonly title: string;
  readonly origin?: Origin | undefined;
  readonly submitter?: Submitter | undefined;
  /** The submitter's file and line are those that this version was offered with, and take the place of others. */
  readonly offered?: boolean;
}

/**
 * Writes down title, origin and submitter of problems whose rows are locked.
 *
 * @param authoritative false keeps a title that is there: the clean one, of normalize, is not replaced by a raw one
 *
 * The file that a problem was first offered with stays, also when it comes again unchanged under another name.
 */
export async function learnNames(sql: Sql, names: readonly ProblemName[], authoritative: boolean): Promise<void> {
  const told = names.filter(
    ({ title, origin, submitter }) => title !== '' || origin !== undefined || submitter !== undefined,
  );
  const latest = [...new Map(told.map((name) => [name.problemId, name])).values()];
  if (latest.length === 0) return;
  await sql.query(
    `UPDATE problem AS p SET
       title = CASE WHEN t.title = '' OR ($9 = false AND p.title <> '') THEN p.title ELSE t.title END,
       origin = coalesce(t.origin, p.origin),
       namespace = coalesce(t.namespace, p.namespace),
       record_id = coalesce(t.record_id, p.record_id),
       submitter = coalesce(t.submitter, p.submitter),
       source_file = CASE WHEN t.offered OR p.source_file = '' THEN coalesce(t.source_file, p.source_file)
         ELSE p.source_file END,
       source_record = CASE WHEN t.offered OR p.source_file = '' THEN coalesce(t.source_record, p.source_record)
         ELSE p.source_record END
     FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
         $10::boolean[])
       AS t (problem_id, title, origin, namespace, record_id, submitter, source_file, source_record, offered)
     WHERE p.problem_id = t.problem_id`,
    [
      latest.map(({ problemId }) => problemId),
      latest.map(({ title }) => title.replaceAll('\0', '\uFFFD')),
      latest.map(({ origin }) => (origin === undefined ? null : JSON.stringify(originJson(origin)))),
      latest.map(({ origin }) => origin?.namespace ?? null),
      latest.map(({ origin }) => origin?.recordId ?? null),
      latest.map(({ submitter }) => submitter?.name ?? null),
      latest.map(({ submitter }) => submitter?.sourceFile ?? null),
      latest.map(({ submitter }) => submitter?.sourceRecord ?? null),
      authoritative,
      latest.map(({ offered }) => offered === true),
    ],
  );
}
