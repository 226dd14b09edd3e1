import { serviceNames } from '@tidemark/event-log';
import { ServiceDirectory } from '../status/service-directory.ts';

/** Lets the gateway know of all other services, as ones with nothing in hand. */
export function registerIdleServices(directory: ServiceDirectory): void {
  for (const service of serviceNames) {
    if (service === 'gateway') continue;
    const idle = { service, lag: {}, outboxRows: 0, openJobs: {}, pendingWork: {}, progress: 1, deadLetters: {} };
    directory.register({ name: service, activity: () => Promise.resolve(idle) });
  }
}
