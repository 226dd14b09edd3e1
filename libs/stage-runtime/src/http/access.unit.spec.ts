import { describe, expect, it } from 'vitest';
import { isLoopback, tokenMatches } from './access.ts';
import { assertAccess } from './serve.ts';

describe('access', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('%s is this machine alone', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(() => assertAccess({ host, port: 0 })).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '10.0.0.7', '127.evil.example', 'localhost.evil.example', ''])(
    'binding to %j without a token is refused',
    (host) => {
      expect(() => assertAccess({ host, port: 0 })).toThrow('TIDEMARK_ACCESS_TOKEN');
      expect(() => assertAccess({ host, port: 0, accessToken: '' })).toThrow('TIDEMARK_ACCESS_TOKEN');
      expect(() => assertAccess({ host, port: 0, accessToken: 'x'.repeat(16) })).not.toThrow();
    },
  );

  it('takes the right token and no other', () => {
    expect(tokenMatches('Bearer secret-of-sixteen', 'secret-of-sixteen')).toBe(true);
    for (const wrong of [undefined, '', 'secret-of-sixteen', 'Bearer secret', 'bearer secret-of-sixteen']) {
      expect(tokenMatches(wrong, 'secret-of-sixteen')).toBe(false);
    }
  });
});
