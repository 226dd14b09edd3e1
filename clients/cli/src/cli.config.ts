import { z } from 'zod';
import { UsageError } from './context.ts';

const schema = z.object({
  TIDEMARK_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:7400')
    .describe('Address of the gateway. Default http://127.0.0.1:7400.'),
  TIDEMARK_ACCESS_TOKEN: z
    .string()
    .min(16, { error: 'has to have at least 16 characters' })
    .optional()
    .describe('Access token of the gateway, where it wants one; also of the one that `start` starts.'),
});

/** What the command line is told by its environment. */
export interface CliConfig {
  readonly url: string;
  readonly token: string | undefined;
}

/** @throws UsageError naming the variables that can't be used, never their values */
export function readCliConfig(env: Readonly<Record<string, string | undefined>> = process.env): CliConfig {
  const given = Object.fromEntries(Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const why = { TIDEMARK_URL: 'is no address such as http://127.0.0.1:7400' } as Readonly<Record<string, string>>;
    const faults = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.')}: ${why[path.join('.')] ?? message}`,
    );
    throw new UsageError(faults.join('; '));
  }
  return { url: parsed.data.TIDEMARK_URL, token: parsed.data.TIDEMARK_ACCESS_TOKEN };
}
