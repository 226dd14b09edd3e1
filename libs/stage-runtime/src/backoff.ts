export interface BackoffOptions {
  /** Ceiling of the first wait, in ms. */
  readonly firstMs: number;
  /** Ceiling of every wait, in ms. */
  readonly maxMs: number;
}

/**
 * Wait before try `attempt` (from 1): a random share of a ceiling that doubles each time ("full jitter"), at least a
 * fifth of it, so that replicas do not come back at the same moment.
 */
export function backoffMs(attempt: number, { firstMs, maxMs }: BackoffOptions): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return ceiling * (0.2 + 0.8 * Math.random());
}
