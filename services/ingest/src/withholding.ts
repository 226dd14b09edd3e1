import { ProblemRawSchema, Stage } from '@tidemark/proto';
import { Withholding } from '@tidemark/stage-runtime';

/** What an operator takes out is not passed on until it is let in again; what producers take back, they offer again. */
export const withholding = new Withholding(ProblemRawSchema, [Stage.GATEWAY]);
