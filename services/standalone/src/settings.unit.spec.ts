import { describe, expect, it } from 'vitest';
import { describeSettings, serviceNames } from './describe-settings.ts';

describe.each(serviceNames)('the settings of %s', (name) => {
  const described = describeSettings(name, {});
  const settings = [...(described?.own ?? []), ...(described?.shared ?? [])];

  it('each say what they mean, once', () => {
    for (const { variable, description } of settings) {
      expect(description, variable).toMatch(/^[A-Z].*\.$/s);
      // Default and range are printed from the schema; said twice they would drift apart.
      expect(description, variable).not.toMatch(/\bDefault\b/);
    }
  });

  it('have a range and a unit where they are numbers; only ports and numbers of users have no unit', () => {
    for (const { variable, type, unit, minimum, maximum } of settings) {
      if (type !== 'whole number' && type !== 'number') continue;
      expect([minimum, maximum].every(Number.isFinite), variable).toBe(true);
      if (!/_(PORT|UID)$/.test(variable)) expect(unit, variable).toBeTruthy();
    }
  });

  it('hide what opens a door', () => {
    for (const { variable, secret } of settings) {
      if (/SECRET|TOKENS?$|DATABASE_URL|PASSWORD/.test(variable)) expect(secret, variable).toBe(true);
    }
  });

  it('need nothing but a database', () => {
    expect(settings.filter(({ required }) => required).map(({ variable }) => variable)).toEqual([
      'TIDEMARK_DATABASE_URL',
    ]);
    expect(describeSettings(name, { TIDEMARK_DATABASE_URL: 'postgres://x' })?.faults).toEqual([]);
  });
});

describe('settings at hand', () => {
  it('are checked all at once, those of the service and the shared ones', () => {
    const described = describeSettings('normalize', {
      TIDEMARK_DATABASE_URL: 'mysql://x',
      TIDEMARK_HTTP_PORT: '99999',
      TIDEMARK_NORMALIZE_MAX_TEST_BYTES: '-1',
      TIDEMARK_NORMALIZE_MAX_TESTS_BYTES: '7',
    });
    expect(described?.faults.map((fault) => fault.split(':')[0])).toEqual([
      'TIDEMARK_NORMALIZE_MAX_TEST_BYTES',
      'TIDEMARK_DATABASE_URL',
      'TIDEMARK_HTTP_PORT',
    ]);
    expect(described?.unknown).toEqual(['TIDEMARK_NORMALIZE_MAX_TESTS_BYTES']);
  });

  it('of the gateway go together', () => {
    expect(describeSettings('gateway', { TIDEMARK_GATEWAY_TRUSTED_TO_GRADE: 'true' })?.faults).toEqual([
      'TIDEMARK_GATEWAY_TRUSTED_TO_GRADE: needs TIDEMARK_GATEWAY_MAC_SECRET: without a MAC ingest trusts nobody',
    ]);
  });
});
