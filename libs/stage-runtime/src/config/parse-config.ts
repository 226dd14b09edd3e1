import type { z } from 'zod';

/** Names every variable that is wrong, and why; never a value. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`configuration: ${problems.join('; ')}`);
    this.name = 'ConfigError';
  }
}

/** `maxTestBytes` of `normalize` is `TIDEMARK_NORMALIZE_MAX_TEST_BYTES`. An empty prefix part is left out. */
export function variableName(prefix: string, field: string): string {
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  return ['TIDEMARK', prefix.toUpperCase(), words].filter((part) => part !== '').join('_');
}

/**
 * Reads the fields of a schema from the environment; a variable set to nothing counts as not set.
 *
 * @throws ConfigError with all that is wrong at once
 */
export function parseConfig<Schema extends z.ZodObject>(
  schema: Schema,
  prefix: string,
  env: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const raw: Record<string, string> = {};
  for (const field of Object.keys(schema.shape)) {
    const value = env[variableName(prefix, field)];
    if (value !== undefined && value !== '') raw[field] = value;
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => {
      const field = issue.path[0];
      if (typeof field !== 'string') return `${variableName(prefix, '')}: ${issue.message}`;
      const reason = raw[field] === undefined ? `missing; ${describe(schema, field)}` : issue.message;
      return `${variableName(prefix, field)}: ${reason}`;
    }),
  );
}

const describe = (schema: z.ZodObject, field: string): string =>
  (schema.shape[field] as z.ZodType | undefined)?.description ?? 'it has no default';
