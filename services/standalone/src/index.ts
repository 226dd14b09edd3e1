export type { DataFolder } from './data-folder.ts';
export { describeSettings, type ServiceSettings, serviceNames } from './describe-settings.ts';
export { AlreadyRunningError } from './open-database.ts';
export { type Standalone, type StandaloneOptions, startStandalone } from './start-standalone.ts';
