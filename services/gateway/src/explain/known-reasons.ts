import type { Sql } from '@tidemark/stage-runtime';
import { unusable } from '../http/http-problem.ts';

/** Reason codes of problems that the stages give. A newer stage may have more: what is in the read model counts too. */
export const knownReasons: readonly string[] = [
  ...['invalid_record', 'withdrawn_by_producer'],
  ...['empty_statement', 'statement_too_large', 'tests_too_large', 'no_tests_and_no_reference', 'unknown_test_form'],
  ...['entry_point_missing', 'mixed_test_forms'],
  ...['exact_duplicate', 'contaminated'],
  ...[
    'no_reference',
    'tests_unusable',
    'reference_failed',
    'reference_flaky',
    'references_disagree',
    'language_missing',
  ],
  ...['tests_missing', 'expected_outputs_missing', 'verification_failed', 'unknown_checker'],
  ...['stage:ingest', 'stage:normalize', 'stage:dedup', 'stage:execute', 'stage:score'],
];

/**
 * An empty list for a reason that does not exist would look like good news.
 *
 * @throws HttpProblem 422 with the reasons that there are
 */
export async function assertReason(sql: Sql, reason: string): Promise<void> {
  if (knownReasons.includes(reason)) return;
  const rows = await sql.query<{ reason: string }>(`SELECT DISTINCT reason FROM problem_count WHERE reason <> ''`);
  const all = [...new Set([...knownReasons, ...rows.map((row) => row.reason)])].sort();
  if (all.includes(reason)) return;
  throw unusable(
    'There is no such reason.',
    [{ where: 'query.reason', why: `${JSON.stringify(reason)} is none of ${all.join(', ')}` }],
    'Name one of these, or leave it out.',
  );
}
