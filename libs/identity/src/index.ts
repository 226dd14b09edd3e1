/** Branded ids, how they come to be, and the hashes behind them. */
export * from './hash.ts';
export * from './ids.ts';
export * from './submitter-mac.ts';
