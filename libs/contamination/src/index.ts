/** Contamination: how much of a benchmark a statement holds, by word 16-grams. */
export * from './decide-contamination.ts';
export * from './grams.ts';
