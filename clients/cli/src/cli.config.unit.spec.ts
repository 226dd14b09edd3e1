import { AccessTokenMissingError } from '@tidemark/stage-runtime';
import { describe, expect, it } from 'vitest';
import { readCliConfig } from './cli.config.ts';

describe('the access token of the command line', () => {
  it('is read from the variable that the refusal to serve others names', () => {
    const [name = ''] = /TIDEMARK_\w+/.exec(new AccessTokenMissingError('0.0.0.0').message) ?? [];
    expect(readCliConfig({ [name]: 'sixteen-letters-' }).token).toBe('sixteen-letters-');
    expect(readCliConfig({}).token).toBeUndefined();
  });

  it('is refused where every service would refuse it, without being shown', () => {
    expect(() => readCliConfig({ TIDEMARK_ACCESS_TOKEN: 'fifteen-letters' })).toThrow(
      /^TIDEMARK_ACCESS_TOKEN: [^']*16/,
    );
    expect(() => readCliConfig({ TIDEMARK_ACCESS_TOKEN: 'fifteen-letters' })).not.toThrow(/fifteen/);
  });
});
