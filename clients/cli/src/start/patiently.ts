import { pause } from '../context.ts';
import { GatewayError } from '../gateway-client.ts';

const AGAIN_MS = 2_000;

/**
 * Takes a step again for as long as the gateway, or what it needs, is away: a database that restarts must not end what
 * serves on. For steps that change nothing when they are taken twice.
 */
export async function patiently<T>(
  { signal, says }: { readonly signal: AbortSignal; says(step: string): void },
  step: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted || !(error instanceof GatewayError) || !isAway(error)) throw error;
      says(`${error.message} It is tried again until it does.`);
      await pause(AGAIN_MS, signal);
    }
  }
}

/** No answer, or one that says to come back. */
const isAway = ({ status }: GatewayError): boolean => status === 0 || status === 503;
