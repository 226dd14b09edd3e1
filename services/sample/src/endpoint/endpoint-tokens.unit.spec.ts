import { describe, expect, it } from 'vitest';
import { EndpointTokens } from './endpoint-tokens.ts';

describe('endpoint tokens', () => {
  const tokens = new EndpointTokens('https://a.example=one\n http://127.0.0.1:8000/v1=two==');

  it('go to their own origin alone', () => {
    expect(tokens.for('https://a.example/v1')).toBe('one');
    expect(tokens.for('http://127.0.0.1:8000/v1/chat')).toBe('two==');
    expect(tokens.for('http://a.example/v1')).toBeUndefined();
    expect(tokens.for('https://a.example:444/v1')).toBeUndefined();
    expect(tokens.for('https://a.example.evil.example/')).toBeUndefined();
  });

  it('are refused without being repeated when they are written wrongly', () => {
    const parse = () => new EndpointTokens('https://a.example=one very-secret');
    expect(parse).toThrow('endpoint token 2');
    expect(parse).not.toThrow(/secret/);
  });
});
