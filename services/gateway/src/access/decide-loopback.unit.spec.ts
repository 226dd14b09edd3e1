import { describe, expect, it } from 'vitest';
import { decideLoopback } from './decide-loopback.ts';

const local = { host: '127.0.0.1:4000', origin: undefined, fetchSite: undefined, localAddress: '127.0.0.1' };
const codeOf = (decision: ReturnType<typeof decideLoopback>) =>
  decision.kind === 'refused' ? decision.code : 'allowed';

describe('access without a token', () => {
  it.each([
    ['localhost:4000', undefined],
    ['LOCALHOST', 'http://localhost:3000'],
    ['[::1]:4000', 'http://[::1]:9'],
    ['127.0.0.2', 'http://127.0.0.1'],
  ])('lets this machine in by %s from %s', (host, origin) => {
    expect(codeOf(decideLoopback({ ...local, host, origin }))).toBe('allowed');
  });

  it.each(['evil.example', 'localhost.evil.example:4000', '127.0.0.1.evil.example', '10.0.0.1', ''])(
    'refuses the host %s',
    (host) => {
      expect(codeOf(decideLoopback({ ...local, host }))).toBe('foreign_host');
    },
  );

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example'])('refuses the origin %s', (origin) => {
    expect(codeOf(decideLoopback({ ...local, origin }))).toBe('foreign_origin');
  });

  it('refuses what a page of another site loads without an origin', () => {
    expect(codeOf(decideLoopback({ ...local, fetchSite: 'cross-site' }))).toBe('foreign_origin');
    for (const fetchSite of ['same-origin', 'same-site', 'none']) {
      expect(codeOf(decideLoopback({ ...local, fetchSite }))).toBe('allowed');
    }
  });

  it('refuses a connection that came in on another address', () => {
    expect(codeOf(decideLoopback({ ...local, localAddress: '192.168.1.2' }))).toBe('loopback_only');
    expect(codeOf(decideLoopback({ ...local, localAddress: '::ffff:127.0.0.1' }))).toBe('allowed');
  });
});
