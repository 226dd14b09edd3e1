import { describe, expect, it } from 'vitest';
import { assembleProgram } from './assemble.ts';
import { definesWithoutCalling } from './diagnose-form.ts';
import { excerpt } from './excerpt.ts';

const prompt = 'import math\n\n\ndef area(r):\n    """Area of a circle."""\n';

describe('assembleProgram', () => {
  it('lets a completion continue the prompt character by character', () => {
    expect(assembleProgram(prompt, { code: '    return 1', continuesPreamble: true }, 'area')).toBe(
      `${prompt}    return 1\n`,
    );
  });

  it('puts a whole function behind the prompt, whose imports stay in force', () => {
    const code = 'def area(r):\n    return math.pi * r * r\n';
    const program = assembleProgram(prompt, { code, continuesPreamble: false }, 'area');
    expect(program.startsWith(prompt.trimEnd())).toBe(true);
    expect(program).toContain(`\n\n\n${code}`);
  });

  it('indents a bare body', () => {
    const program = assembleProgram(
      prompt,
      { code: 'x = r * r\nreturn math.pi * x', continuesPreamble: false },
      'area',
    );
    expect(program).toBe(`${prompt}    x = r * r\n    return math.pi * x\n`);
  });

  it('takes code alone without a prompt, with unix line ends', () => {
    expect(assembleProgram('', { code: 'a = 1\r\nb = 2', continuesPreamble: false }, undefined)).toBe('a = 1\nb = 2\n');
  });
});

describe('definesWithoutCalling', () => {
  it.each([
    ['def f(x):\n    return x\n', true],
    ['import math\n\nN = 5\n\nclass A:\n    def f(self):\n        pass\n', true],
    ['"""\nprint(1)\n"""\ndef f(x): return x\n', true],
    ['def f(x): return x\nprint(f(1))\n', false],
    ['def f(x): return x\nn = int(input())\n', false],
    ['def main(): pass\nif __name__ == "__main__":\n    main()\n', false],
    ['\n', false],
    ['x = 1\n', false],
  ])('%j: %s', (source, verdict) => {
    expect(definesWithoutCalling(source)).toBe(verdict);
  });
});

describe('excerpt', () => {
  it('shows control characters and broken text harmlessly', () => {
    expect(excerpt(new Uint8Array([0x1b, 0x5b, 0x00, 0xff, 0x61]))).toBe('\\x1b[\\x00\ufffda');
  });

  it('is short', () => {
    expect(excerpt('x'.repeat(1_000_000), 50).length).toBe(51);
  });
});
