import { describe, expect, it } from 'vitest';
import { readCliConfig } from './cli.config.ts';

describe('the access token of the command line', () => {
  it('is read from the variable that the services read, and that a refusal to serve others names', () => {
    expect(readCliConfig({ TIDEMARK_ACCESS_TOKEN: 'sixteen-letters-' }).token).toBe('sixteen-letters-');
    expect(readCliConfig({}).token).toBeUndefined();
  });

  it('is refused where every service would refuse it, without being shown', () => {
    expect(() => readCliConfig({ TIDEMARK_ACCESS_TOKEN: 'fifteen-letters' })).toThrow(
      /^TIDEMARK_ACCESS_TOKEN: [^']*16/,
    );
    expect(() => readCliConfig({ TIDEMARK_ACCESS_TOKEN: 'fifteen-letters' })).not.toThrow(/fifteen/);
  });
});
