import { describe, expect, it } from 'vitest';
import { decideAccess } from './decide-access.ts';

const local = { host: '127.0.0.1:4000', origin: undefined, authorization: undefined, localAddress: '127.0.0.1' };
const codeOf = (access: ReturnType<typeof decideAccess>) => (access.kind === 'refused' ? access.code : 'allowed');
const secret = (given: string) => given === 'secret';

describe('access without a token', () => {
  it.each([
    ['localhost:4000', undefined],
    ['LOCALHOST', 'http://localhost:3000'],
    ['[::1]:4000', 'http://[::1]:9'],
    ['127.0.0.2', 'http://127.0.0.1'],
  ])('lets this machine in by %s from %s', (host, origin) => {
    expect(codeOf(decideAccess({ ...local, host, origin }, undefined))).toBe('allowed');
  });

  it.each(['evil.example', 'localhost.evil.example:4000', '127.0.0.1.evil.example', '10.0.0.1', ''])(
    'refuses the host %s',
    (host) => {
      expect(codeOf(decideAccess({ ...local, host }, undefined))).toBe('foreign_host');
    },
  );

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example'])('refuses the origin %s', (origin) => {
    expect(codeOf(decideAccess({ ...local, origin }, undefined))).toBe('foreign_origin');
  });

  it('refuses a connection that came in on another address', () => {
    expect(codeOf(decideAccess({ ...local, localAddress: '192.168.1.5' }, undefined))).toBe('loopback_only');
  });
});

describe('access with a token', () => {
  it.each([
    [undefined, 'token_missing'],
    ['Basic secret', 'token_missing'],
    ['Bearer other', 'token_wrong'],
    ['Bearer secret', 'allowed'],
    ['bearer secret', 'allowed'],
  ])('answers %s with %s', (authorization, code) => {
    expect(codeOf(decideAccess({ ...local, host: 'tidemark.example', authorization }, secret))).toBe(code);
  });
});
