import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { kafkaOfThisProcess, postgresOfThisProcess, stopServersOfThisProcess } from './servers-in-this-process.ts';

/** Names the address at which the workers of a test run ask for the run's servers. */
export const RUN_ADDRESS_VARIABLE = 'TIDEMARK_TEST_SERVERS';

/** What the keeper answers: the server's address, or why there is none. */
export type Answer<T> = { readonly ok: T } | { readonly unavailable: string };

/**
 * Keeps the servers that all spec files of a run share. Each is started when the first file asks, so a run of unit
 * specs starts none.
 */
export async function keepServersOfThisRun(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const answers: Readonly<Record<string, () => Promise<unknown>>> = {
    '/postgres': async () => (await postgresOfThisProcess()).url,
    '/kafka': async () => {
      try {
        const { brokers, by } = await kafkaOfThisProcess();
        return { brokers, by };
      } catch (error) {
        kafkaUnavailable = error;
        throw error;
      }
    },
  };
  let kafkaUnavailable: unknown;
  const untested = new Map<string, string>();
  const keeper = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://run');
    if (pathname === '/untested') {
      untested.set(searchParams.get('what') ?? '', searchParams.get('why') ?? '');
      response.end(JSON.stringify({ ok: null }));
      return;
    }
    const answer = answers[pathname] ?? (async () => Promise.reject(new Error(`no such server: ${request.url}`)));
    answer().then(
      (ok) => response.end(JSON.stringify({ ok })),
      (error: unknown) => response.end(JSON.stringify({ unavailable: messageOf(error) })),
    );
  });
  await new Promise<void>((resolve) => keeper.listen(0, '127.0.0.1', resolve));
  const { port } = keeper.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      keeper.close();
      keeper.closeAllConnections();
      await stopServersOfThisProcess();
      if (kafkaUnavailable !== undefined) {
        warn('KAFKA WAS NOT TESTED: no broker could be started here.', messageOf(kafkaUnavailable));
      }
      for (const [what, why] of untested) warn(what, why);
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Last, after the summary, where it is read: a run that is green without Kafka says nothing about Kafka. */
function warn(what: string, why: string): void {
  const line = '!'.repeat(100);
  process.stderr.write(`\n${line}\n!! ${what}\n!! ${why}\n${line}\n`);
}
