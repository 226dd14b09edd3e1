export * from './blob-store.ts';
export * from './payloads.ts';
