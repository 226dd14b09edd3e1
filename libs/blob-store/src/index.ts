export * from './blob-store.ts';
export { FolderBlobStore, type FolderBlobStoreOptions } from './folder-blob-store.ts';
export { MemoryBlobStore } from './memory-blob-store.ts';
export * from './payloads.ts';
