import { Stage } from '@tidemark/proto';

/** What a stage shows for its word on one version. */
export interface EvidenceRow {
  readonly stage: Stage;
  readonly version: number;
  readonly evidence: readonly Readonly<Record<string, unknown>>[];
}

/** What cleaning did to one version. */
export interface NotesRow {
  readonly version: number;
  readonly notes: readonly Readonly<Record<string, unknown>>[];
}

/**
 * What a caller may read of a problem: `everything`, or what quotes no hidden test; and of its text only where a version
 * is open.
 */
export type Sight = 'everything' | { readonly openVersion: number | undefined };

/** Stages whose evidence is of fields, or what a person wrote for people to read: it quotes no text of the problem. */
const QUOTING_NOTHING: ReadonlySet<Stage> = new Set([Stage.INGEST, Stage.GATEWAY]);
/** Stages that see no hidden test run: they can quote the statement alone. */
const SEEING_THE_TEXT: ReadonlySet<Stage> = new Set([Stage.NORMALIZE, Stage.DEDUP, Stage.SCORE]);

/** Evidence as far as the caller may read it: what kind it is and of whom it speaks, without the words that it quotes. */
export function withoutQuotes({ stage, version, evidence }: EvidenceRow, sight: Sight): EvidenceRow['evidence'] {
  const isShown =
    sight === 'everything' ||
    QUOTING_NOTHING.has(stage) ||
    (SEEING_THE_TEXT.has(stage) && version === sight.openVersion);
  return isShown ? evidence : evidence.map((one) => ({ ...one, text: '' }));
}

/** Notes of cleaning as far as the caller may read them: what was done and how often, without what was there. */
export function withoutDetails({ version, notes }: NotesRow, sight: Sight): NotesRow['notes'] {
  if (sight === 'everything' || version === sight.openVersion) return notes;
  return notes.map((note) => ({ ...note, detail: '' }));
}
