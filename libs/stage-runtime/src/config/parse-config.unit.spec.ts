import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, configFaults, parseConfig, unknownVariables } from './parse-config.ts';
import { variableName } from './variable-name.ts';

const schema = z
  .object({
    maxTestBytes: z.coerce.number().int().min(1).max(1_000).default(100).meta({ unit: 'bytes' }).describe('Largest.'),
    endpointToken: z.string().min(16).optional(),
    isStrict: z.stringbool().default(false),
  })
  .refine((config) => !config.isStrict || config.endpointToken !== undefined, {
    path: ['isStrict'],
    message: 'needs TIDEMARK_NORMALIZE_ENDPOINT_TOKEN',
  });

describe('configuration', () => {
  it('names a variable after service and field', () => {
    expect(variableName('normalize', 'maxTestBytes')).toBe('TIDEMARK_NORMALIZE_MAX_TEST_BYTES');
    expect(variableName('', 'databaseUrl')).toBe('TIDEMARK_DATABASE_URL');
  });

  it('takes defaults for what is not set, or set to nothing', () => {
    const env = {
      TIDEMARK_NORMALIZE_MAX_TEST_BYTES: '',
      TIDEMARK_NORMALIZE_IS_STRICT: 'true',
      TIDEMARK_NORMALIZE_ENDPOINT_TOKEN: 'a-token-of-sixteen',
      OTHER: 'x',
    };
    expect(parseConfig(schema, 'normalize', env)).toEqual({
      maxTestBytes: 100,
      isStrict: true,
      endpointToken: 'a-token-of-sixteen',
    });
  });

  it('says of what is missing what it should be', () => {
    const withoutDefault = z.object({ databaseUrl: z.url().describe('PostgreSQL, as postgres://…') });
    expect(() => parseConfig(withoutDefault, '', {})).toThrow(
      'TIDEMARK_DATABASE_URL: missing; PostgreSQL, as postgres://…',
    );
  });

  it('names everything that is wrong at once, with what would be right, and never a value', () => {
    const env = { TIDEMARK_NORMALIZE_MAX_TEST_BYTES: '987654', TIDEMARK_NORMALIZE_ENDPOINT_TOKEN: 'hunter2' };
    expect(() => parseConfig(schema, 'normalize', env)).toThrow(ConfigError);
    expect(configFaults(schema, 'normalize', env)).toEqual([
      'TIDEMARK_NORMALIZE_MAX_TEST_BYTES: expected 1 to 1,000 bytes; Largest.',
      'TIDEMARK_NORMALIZE_ENDPOINT_TOKEN: expected at least 16 characters',
    ]);
  });

  it('says which settings do not go together, in the words of the check', () => {
    expect(configFaults(schema, 'normalize', { TIDEMARK_NORMALIZE_IS_STRICT: 'true' })).toEqual([
      'TIDEMARK_NORMALIZE_IS_STRICT: needs TIDEMARK_NORMALIZE_ENDPOINT_TOKEN',
    ]);
  });

  it('finds variables that are no setting', () => {
    const env = { TIDEMARK_NORMALIZE_MAX_TEST_BYTE: '1', TIDEMARK_NORMALIZE_IS_STRICT: 'no', TIDEMARK_OTHER_X: '' };
    expect(unknownVariables(schema, 'normalize', env)).toEqual(['TIDEMARK_NORMALIZE_MAX_TEST_BYTE']);
  });
});
