/** Statements: cleaning that invents nothing, and the canonical text by which exact duplicates are equal. */
export * from './canonical.ts';
export * from './clean.ts';
