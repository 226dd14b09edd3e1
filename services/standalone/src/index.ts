export type { DataFolder } from './data-folder.ts';
export { AlreadyRunningError } from './open-database.ts';
export { type Standalone, type StandaloneOptions, startStandalone } from './start-standalone.ts';
