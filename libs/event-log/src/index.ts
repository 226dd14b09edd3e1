export * from './errors.ts';
export * from './headers.ts';
export type * from './port.ts';
export * from './topic.ts';
export * from './topics.ts';
