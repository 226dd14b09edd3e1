import { ProblemRawSchema, Stage } from '@tidemark/proto';
import { Withholding } from '@tidemark/stage-runtime';

/** What producer or operator took back is not cleaned until they give it again. */
export const withholding = new Withholding(ProblemRawSchema, [Stage.INGEST, Stage.GATEWAY]);
