export type { DataFolder } from './data-folder.ts';
export { describeSettings, type ServiceSettings, serviceNames } from './describe-settings.ts';
export { examineMachine } from './examine/examine-machine.ts';
export type { SpotEvent, SpotOptions } from './judge-on-the-spot/events.ts';
export { judgeOnTheSpot } from './judge-on-the-spot/judge-on-the-spot.ts';
export { UnusableProblemError } from './judge-on-the-spot/read-problem.ts';
export type { Finding } from './examine/finding.ts';
export { AlreadyRunningError } from './open-database.ts';
export { type Standalone, type StandaloneOptions, startStandalone } from './start-standalone.ts';
