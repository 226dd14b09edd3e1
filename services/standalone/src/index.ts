export type { DataFolder } from './data-folder.ts';
export { describeSettings, type ServiceSettings, serviceNames } from './describe-settings.ts';
export { examineMachine } from './examine/examine-machine.ts';
export type { Finding } from './examine/finding.ts';
export { AlreadyRunningError } from './open-database.ts';
export { type Standalone, type StandaloneOptions, startStandalone } from './start-standalone.ts';
