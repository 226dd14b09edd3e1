import { z } from 'zod';

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

/** @throws Error naming the variables that can't be used, never their values */
export function readCliConfig(env: Readonly<Record<string, string | undefined>> = process.env): CliConfig {
  const given = Object.fromEntries(Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  return { url: parsed.data.TIDEMARK_URL, token: parsed.data.TIDEMARK_ACCESS_TOKEN };
}
