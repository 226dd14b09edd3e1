import { describe, expect, it } from 'vitest';
import { assembleProgram } from './assemble.ts';
import { compare } from './comparison.ts';
import { extractCode } from './extract-code.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const near = { kind: 'numbers', tolerance: { absolute: 0, relative: 0 } } as const;
/** Long enough that anything quadratic takes far longer than a test may. */
const LONG = 1_000_000;

describe('text of hostile length is judged in the time that its length asks for', () => {
  it.each([
    ['digits that end in a letter', `${'1'.repeat(LONG)}x`],
    ['zeros between two digits', `1${'0'.repeat(LONG)}1`],
    ['a fraction of zeros that ends in a digit', `0.${'0'.repeat(LONG)}1`],
  ])('%s', (_, text) => {
    expect(compare(near, bytes('1'), bytes(text)).equal).toBe(false);
  });

  it.each([
    ['thoughts that never end', '<think>'.repeat(LONG / 10)],
    ['thoughts of two names, one within the other', '<think><thought>'.repeat(LONG / 20)],
    ['blank lines', '\n'.repeat(LONG)],
    ['an opened fence after blanks', `${' '.repeat(LONG)}\`\`\``],
  ])('an answer of %s', (_, text) => {
    expect(extractCode(text, { kind: 'chat' }, ['python']).kind).toBeDefined();
  });

  it('code of blank lines beside a preamble', () => {
    const program = assembleProgram('def f(x):\n', { code: '\n'.repeat(LONG), continuesPreamble: false }, 'f');
    expect(program.length).toBeGreaterThan(LONG);
  });

  it('and thoughts are still taken out, each to its own end', () => {
    const text = '<think>a</think>\n```python\nx = 1\n```\n<Thought>```python\ny = 2\n```</Thought>';
    expect(extractCode(text, { kind: 'chat' }, ['python'])).toMatchObject({ kind: 'code', code: 'x = 1\n' });
  });
});
