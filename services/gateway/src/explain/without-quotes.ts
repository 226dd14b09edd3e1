import { Stage } from '@tidemark/proto';

/** What a stage shows for its word. */
export interface EvidenceRow {
  readonly stage: Stage;
  readonly evidence: readonly Readonly<Record<string, unknown>>[];
}

/** Stages whose evidence speaks of fields, ids and measures, and quotes no test and no output. */
const QUOTING_NOTHING: ReadonlySet<Stage> = new Set([Stage.INGEST, Stage.NORMALIZE, Stage.DEDUP, Stage.SCORE]);

/** The evidence for callers who may not see hidden tests: what kind it is and of whom it speaks, without the words. */
export function withoutQuotes(stage: Stage, evidence: EvidenceRow['evidence']): EvidenceRow['evidence'] {
  return QUOTING_NOTHING.has(stage) ? evidence : evidence.map((one) => ({ ...one, text: '' }));
}
