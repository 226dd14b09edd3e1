import { ProblemVerifiedSchema, Stage } from '@tidemark/proto';
import { Withholding } from '@tidemark/stage-runtime';

/** What any stage before this one, or an operator, withdraws is not scored until it comes back. */
export const withholding = new Withholding(ProblemVerifiedSchema, [
  Stage.INGEST,
  Stage.NORMALIZE,
  Stage.DEDUP,
  Stage.EXECUTE,
  Stage.GATEWAY,
]);
