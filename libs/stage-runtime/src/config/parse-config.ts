import type { z } from 'zod';
import { rangeOf, settingsOf } from './settings.ts';
import { variableName } from './variable-name.ts';

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Names every variable that is wrong, and what it should be; never a value. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    const what = problems.length === 1 ? 'a setting is wrong' : `${problems.length} settings are wrong`;
    super([what, ...problems].join('\n  '));
    this.name = 'ConfigError';
  }
}

/**
 * Reads the fields of a schema from the environment; a variable set to nothing counts as not set.
 *
 * @throws ConfigError with all that is wrong at once
 */
export function parseConfig<Schema extends z.ZodObject>(
  schema: Schema,
  prefix: string,
  env: Variables,
): z.output<Schema> {
  const parsed = schema.safeParse(valuesOf(schema, prefix, env));
  if (parsed.success) return parsed.data;
  throw new ConfigError(wordsOf(schema, prefix, env, parsed.error));
}

/** What is wrong with the variables of a schema, one sentence each; empty when nothing is. */
export function configFaults(schema: z.ZodObject, prefix: string, env: Variables): readonly string[] {
  const parsed = schema.safeParse(valuesOf(schema, prefix, env));
  return parsed.success ? [] : wordsOf(schema, prefix, env, parsed.error);
}

/** Variables that bear the prefix and are no setting: misspelt, or of another release. */
export function unknownVariables(schema: z.ZodObject, prefix: string, env: Variables): readonly string[] {
  const known = new Set(Object.keys(schema.shape).map((field) => variableName(prefix, field)));
  const start = `${variableName(prefix, '')}_`;
  return Object.keys(env).filter((name) => name.startsWith(start) && !known.has(name));
}

function valuesOf(schema: z.ZodObject, prefix: string, env: Variables): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of Object.keys(schema.shape)) {
    const value = env[variableName(prefix, field)];
    if (value !== undefined && value !== '') values[field] = value;
  }
  return values;
}

function wordsOf(schema: z.ZodObject, prefix: string, env: Variables, error: z.ZodError): string[] {
  const settings = new Map(settingsOf(schema, prefix).map((setting) => [setting.variable, setting]));
  const words = error.issues.map((issue) => {
    const variable = variableName(prefix, typeof issue.path[0] === 'string' ? issue.path[0] : '');
    const setting = settings.get(variable);
    // A check over several settings says itself what to do.
    if (setting === undefined || issue.code === 'custom') return `${variable}: ${issue.message}`;
    const range = rangeOf(setting);
    const reason = isSet(env[variable]) ? (range === '' ? issue.message : `expected ${range}`) : 'missing';
    return `${variable}: ${[reason, setting.description].filter((part) => part !== '').join('; ')}`;
  });
  return [...new Set(words)];
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';
