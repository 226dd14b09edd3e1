import { type Answer, RUN_ADDRESS_VARIABLE } from './servers-of-this-run.ts';

/**
 * Asks the keeper of this test run for a server; undefined when no run is under way (a bench, a script).
 * @throws {Error} with the keeper's reason when the server can't be started
 */
export async function askRun<T>(server: 'postgres' | 'kafka'): Promise<T | undefined> {
  const keeper = process.env[RUN_ADDRESS_VARIABLE];
  if (keeper === undefined) return undefined;
  const response = await fetch(`${keeper}/${server}`);
  const answer = (await response.json()) as Answer<T>;
  if ('unavailable' in answer) throw new Error(answer.unavailable);
  return answer.ok;
}

/**
 * Has the run end with a loud word on what it could not test.
 *
 * @param what one line, in capitals where it matters
 * @param why what is missing, and how to get it
 */
export async function sayUntested(what: string, why: string): Promise<void> {
  const keeper = process.env[RUN_ADDRESS_VARIABLE];
  if (keeper !== undefined) await fetch(`${keeper}/untested?${new URLSearchParams({ what, why }).toString()}`);
}
