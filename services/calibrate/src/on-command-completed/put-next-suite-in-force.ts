import { EvaluationTrigger } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { switchSuite, touchProblems } from '../postgres/problems.ts';
import { requestEvaluation } from '../postgres/targets.ts';

/** Every kept program of the problem has been graded by the new suite: its buckets count, the old suite's no longer. */
export async function putNextSuiteInForce(tx: Sql, problemId: string): Promise<void> {
  const targets = await switchSuite(tx, problemId);
  await touchProblems(tx, [problemId]);
  for (const target of targets) await requestEvaluation(tx, target, EvaluationTrigger.COMMAND);
}
