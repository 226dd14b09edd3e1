import { describe, expect, it } from 'vitest';
import { checkLine } from './check-line.ts';

const line = (bytes: Uint8Array) => checkLine({ kind: 'line', number: 7, bytes }, 100);
const text = (content: string) => line(new TextEncoder().encode(content));
const codeOf = (checked: ReturnType<typeof checkLine>) => (checked.kind === 'refused' ? checked.refusal.code : 'taken');

describe('what is checked of a line of a benchmark', () => {
  it('takes a JSON object as it stands', () => {
    expect(text('{"id":1}')).toMatchObject({ kind: 'taken', line: 7, value: { id: 1 } });
  });

  it('names the line of what it refuses', () => {
    expect(text('{"id":')).toMatchObject({ kind: 'refused', refusal: { line: 7, code: 'invalid_json' } });
  });

  it.each(['[1]', 'null', '3', '"x"', '{"a":1} x', 'NaN'])('refuses %s', (content) => {
    expect(codeOf(text(content))).toBe('invalid_json');
  });

  it('never quotes the content of a broken line', () => {
    expect(JSON.stringify(text('{"solution": "def secret(): pass", oops}'))).not.toContain('secret');
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(codeOf(line(Uint8Array.of(0x7b, 0xff, 0x7d)))).toBe('invalid_utf8');
  });

  it('refuses what is too large', () => {
    expect(codeOf(checkLine({ kind: 'too_large', number: 1, sizeBytes: 200 }, 100))).toBe('too_large');
  });
});
