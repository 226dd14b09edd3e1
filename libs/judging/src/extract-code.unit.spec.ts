import { describe, expect, it } from 'vitest';
import { extractCode } from './extract-code.ts';

const chat = { kind: 'chat' } as const;
const fenced = (code: string, tag = 'python') => `\`\`\`${tag}\n${code}\n\`\`\`\n`;

describe('a completion', () => {
  const form = { kind: 'completion', stopSequences: ['\ndef', '\nprint'] } as const;

  it('ends before the earliest stop sequence', () => {
    expect(extractCode('    return 1\nprint(2)\ndef g(): pass', form, ['python'])).toMatchObject({
      kind: 'code',
      code: '    return 1',
      note: 'completion cut at a stop sequence',
    });
  });

  it('is taken whole without one', () => {
    expect(extractCode('    return 1\n', form, ['python'])).toMatchObject({
      code: '    return 1\n',
      note: 'completion',
    });
  });

  it('that is blank is no code', () => {
    expect(extractCode(' \n\ndef g(): pass', form, ['python']).kind).toBe('no_code');
  });
});

describe('a chat answer', () => {
  it('gives its last complete block by default, and another on request', () => {
    const answer = `First:\n${fenced('a = 1')}better:\n${fenced('b = 22')}`;
    expect(extractCode(answer, chat, ['python'])).toMatchObject({ code: 'b = 22\n', note: 'chosen block' });
    expect(extractCode(answer, { kind: 'chat', block: 'first' }, ['python'])).toMatchObject({ code: 'a = 1\n' });
  });

  it('prefers a complete block to an unclosed one behind it', () => {
    expect(extractCode(`${fenced('a = 1')}\`\`\`python\nb =`, chat, ['python'])).toMatchObject({ code: 'a = 1\n' });
  });

  it('that was cut off gives its unclosed block', () => {
    expect(extractCode('```python\nb = 2\n', chat, ['python'])).toMatchObject({
      code: 'b = 2\n\n',
      note: 'unclosed block',
    });
  });

  it.each([
    ['a closed thought', `<think>${fenced('wrong()')}</think>${fenced('right()')}`],
    ['a thought whose opening tag was in the prompt', `${fenced('wrong()')}</think>\n${fenced('right()')}`],
    ['an unclosed thought at the end', `${fenced('right()')}<think>\n${fenced('wrong()')}`],
  ])('drops %s', (_name, answer) => {
    expect(extractCode(answer, chat, ['python'])).toMatchObject({ code: 'right()\n' });
  });

  it('skips blocks in other languages', () => {
    expect(extractCode(`${fenced('a = 1')}${fenced('$ run', 'bash')}`, chat, ['python'])).toMatchObject({
      code: 'a = 1\n',
    });
    expect(extractCode(fenced('int main(){}', 'cpp'), chat, ['python']).kind).toBe('no_code');
  });

  it('keeps shorter fences inside a longer one, and strips the indent of a list', () => {
    const answer = '1. see\n   ~~~~py\n   s = """\n   ~~~\n   """\n   ~~~~\n';
    expect(extractCode(answer, chat, ['python'])).toMatchObject({ code: 's = """\n~~~\n"""\n' });
  });

  it('without a fence is code only when it reads as code', () => {
    expect(extractCode('def f(x):\n    return x\n', chat, ['python'])).toMatchObject({ note: 'whole answer' });
    expect(extractCode('I think the answer is to sort the list first.', chat, ['python']).kind).toBe('no_code');
    expect(extractCode('', chat, ['python']).kind).toBe('no_code');
  });

  it('takes the language from the tag where several may answer, else from the code', () => {
    const both = ['python', 'cpp'];
    const languageOf = (answer: string) => {
      const found = extractCode(answer, chat, both);
      return found.kind === 'code' ? found.language : found.reason;
    };
    expect(languageOf(fenced('x', 'C++'))).toBe('cpp');
    expect(languageOf(fenced('x', 'c++17'))).toBe('cpp');
    expect(languageOf(fenced('x', 'py'))).toBe('python');
    expect(languageOf(fenced('#include <iostream>\nint main() {}', ''))).toBe('cpp');
    expect(languageOf(fenced('print(1)', ''))).toBe('python');
    expect(languageOf(`${fenced('x = 1')}${fenced('int x;', 'cpp')}`)).toBe('cpp');
    expect(languageOf(fenced('fn main() {}', 'rust'))).toBe('no block in python, cpp');
    expect(languageOf('#include <cstdio>\nint main() {\n  int x;\n  scanf("%d", &x);\n}\n')).toBe('cpp');
  });
});
