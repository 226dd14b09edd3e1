import { Backoff, sleep } from './backoff.ts';
import { LogUnavailableError } from './errors.ts';

/** How long a read bears with a log that is away, in ms. */
const patienceMs = 30_000;

/** Tries again while the log is away, for a while; undefined when the caller gave up. */
export async function patiently<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const backoff = new Backoff();
  const giveUpAt = performance.now() + patienceMs;
  while (!signal.aborted) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof LogUnavailableError) || performance.now() > giveUpAt) throw error;
      await sleep(backoff.next(), signal);
    }
  }
  return undefined;
}
