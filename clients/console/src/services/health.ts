import type { ServiceState } from '../api/types.ts';
import { count } from '../words.ts';

export interface Health {
  readonly color: string;
  readonly words: string;
}

/** How a service does, in a few words. */
export function healthOf(service: ServiceState): Health {
  if (!service.reachable) return { color: 'var(--dead-lettered)', words: 'does not answer' };
  const { lag = 0, outbox = 0, jobs = 0, dead_letters: aside = 0 } = service;
  const parts = [
    ...(lag > 0 ? [`${count(lag)} behind`] : []),
    ...(jobs > 0 ? [`${count(jobs)} jobs`] : []),
    ...(outbox > 0 ? [`${count(outbox)} to publish`] : []),
    ...(aside > 0 ? [`${count(aside)} laid aside`] : []),
  ];
  if (lag + outbox + jobs > 0 || service.quiet === false) {
    return { color: 'var(--waiting)', words: parts.join(', ') || 'at work' };
  }
  return { color: aside > 0 ? 'var(--rejected)' : 'var(--ready)', words: parts.join(', ') || 'idle' };
}
