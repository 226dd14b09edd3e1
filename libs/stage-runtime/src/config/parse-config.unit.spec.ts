import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, parseConfig, variableName } from './parse-config.ts';

const schema = z.object({
  maxTestBytes: z.coerce.number().int().min(1).max(1_000).default(100),
  endpointToken: z.string().min(16).optional(),
  isStrict: z.stringbool().default(false),
});

describe('configuration', () => {
  it('names a variable after service and field', () => {
    expect(variableName('normalize', 'maxTestBytes')).toBe('TIDEMARK_NORMALIZE_MAX_TEST_BYTES');
    expect(variableName('', 'databaseUrl')).toBe('TIDEMARK_DATABASE_URL');
  });

  it('takes defaults for what is not set, or set to nothing', () => {
    const env = { TIDEMARK_NORMALIZE_MAX_TEST_BYTES: '', TIDEMARK_NORMALIZE_IS_STRICT: 'true', OTHER: 'x' };
    expect(parseConfig(schema, 'normalize', env)).toEqual({ maxTestBytes: 100, isStrict: true });
  });

  it('says of what is missing what it should be', () => {
    const withoutDefault = z.object({ databaseUrl: z.url().describe('PostgreSQL, as postgres://…') });
    expect(() => parseConfig(withoutDefault, '', {})).toThrow(
      'TIDEMARK_DATABASE_URL: missing; PostgreSQL, as postgres://…',
    );
  });

  it('names everything that is wrong at once, and never a value', () => {
    const env = { TIDEMARK_NORMALIZE_MAX_TEST_BYTES: '987654', TIDEMARK_NORMALIZE_ENDPOINT_TOKEN: 'hunter2' };
    const parse = () => parseConfig(schema, 'normalize', env);
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(/TIDEMARK_NORMALIZE_MAX_TEST_BYTES.*TIDEMARK_NORMALIZE_ENDPOINT_TOKEN/);
    expect(parse).not.toThrow(/987654|hunter2/);
  });
});
