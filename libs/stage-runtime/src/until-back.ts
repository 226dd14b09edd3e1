import { backoffMs } from './backoff.ts';
import { classifyFault } from './faults.ts';
import { errorFields } from './observe/logger.ts';
import { sleep } from './sleep.ts';
import type { StageParts } from './stage-parts.ts';

/** Does what the service can't begin without: while a dependency is away it waits, without an end, and says so. */
export async function untilBack<T>(parts: StageParts, concern: string, work: () => Promise<T>): Promise<T> {
  const { board, logger, ended, backoff } = parts;
  for (let attempt = 1; ; attempt++) {
    try {
      const done = await work();
      board.clear(concern);
      return done;
    } catch (error) {
      const fault = classifyFault(error);
      if (fault.kind !== 'dependency' || ended.aborted) throw error;
      board.set(concern, `cannot begin without the ${fault.dependency}: ${fault.message}`);
      const waitMs = backoffMs(attempt, backoff);
      logger.warn({ attempt, waitMs, ...errorFields(error) }, 'waits to begin');
      await sleep(waitMs, ended);
    }
  }
}
