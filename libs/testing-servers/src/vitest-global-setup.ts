import { keepServersOfThisRun, RUN_ADDRESS_VARIABLE } from './servers-of-this-run.ts';

/** Vitest's global set-up: workers inherit the variable, and ask there for the run's servers. Returns the tear-down. */
export default async function setUp(): Promise<() => Promise<void>> {
  const keeper = await keepServersOfThisRun();
  process.env[RUN_ADDRESS_VARIABLE] = keeper.url;
  return async () => keeper.stop();
}
