import { setTimeout as delay } from 'node:timers/promises';

export interface BackoffOptions {
  /** First wait, in ms. Default 100. */
  readonly firstMs?: number;
  /** Longest wait, in ms. Default 5,000. */
  readonly longestMs?: number;
}

/** Waits that double up to a bound, each with jitter (half to the whole), so that a crowd does not come back at once. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(options: BackoffOptions = {}) {
    this.#firstMs = options.firstMs ?? 100;
    this.#longestMs = options.longestMs ?? 5_000;
  }

  /** Counts a failure and answers how long to wait after it, in ms. */
  next(): number {
    const whole = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    return Math.ceil(whole / 2 + (Math.random() * whole) / 2);
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  succeeded(): void {
    this.#failures = 0;
  }
}

/** Sleeps; an abort ends the sleep early and is no error. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}
