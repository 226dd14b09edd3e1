import { backoffMs } from './backoff.ts';
import { classifyFault } from './faults.ts';
import { sleep } from './sleep.ts';

const TRIES = 10;

/** Does what needs a dependency that perhaps starts beside us: tries for some ten seconds while it is away. */
export async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES || classifyFault(error).kind !== 'dependency') throw error;
      await sleep(backoffMs(attempt, { firstMs: 200, maxMs: 3_000 }));
    }
  }
}
