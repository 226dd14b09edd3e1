import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../../../vitest.config.ts';

/** The repository's own configuration, on the fixture alone. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({ test: { include: ['libs/testing-servers/src/testing/*.fixture.ts'] } }),
);
