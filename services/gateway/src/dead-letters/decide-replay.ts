import type { DeadLetter } from '@tidemark/proto';

export type ReplayDecision =
  | { readonly kind: 'replay'; readonly letter: DeadLetter }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string };

/**
 * Whether a letter can be handled again.
 *
 * @param letter what lies in the log; undefined when it is no longer there
 * @param serviceReady the service that failed has a topic for orders
 */
export function decideReplay(
  state: 'open' | 'replayed' | 'dropped' | 'expired',
  letter: DeadLetter | undefined,
  serviceReady: boolean,
): ReplayDecision {
  const refused = (code: string, reason: string): ReplayDecision => ({ kind: 'refused', code, reason });
  if (state === 'replayed') {
    return refused('replayed', 'It was replayed already; if it failed again, it lies here as a letter of its own.');
  }
  if (letter === undefined) return refused('expired', 'It is no longer in the log: dead letters are kept for a week.');
  if (!serviceReady)
    return refused('service_absent', 'The service has never started with this release: start it first.');
  return { kind: 'replay', letter };
}
