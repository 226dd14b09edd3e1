import { describe, expect, it } from 'vitest';
import { renderPrompt } from './render-prompt.ts';

const parts = { statement: 'Write `f(n)`.', starterCode: '', entryPoint: 'f', language: 'python' };

describe('a prompt', () => {
  it("fills the target's template", () => {
    expect(renderPrompt('<{{entry_point}}> {{statement}} {{unknown}}', 'chat', parts)).toBe(
      '<f> Write `f(n)`. {{unknown}}',
    );
  });

  it('takes a statement as it is, whatever stands in it', () => {
    const statement = "Print {{entry_point}} and $& and $' as they stand.";
    expect(renderPrompt('{{statement}}', 'chat', { ...parts, statement })).toBe(statement);
  });

  it('asks a chat model for one code block in the language, by default', () => {
    expect(renderPrompt('', 'chat', parts)).toBe(
      'Solve this problem in Python. Answer with one code block that holds the whole solution.\n\nWrite `f(n)`.',
    );
  });

  it('gives the starter code, or else the name, where the statement does not', () => {
    const bare = { ...parts, statement: 'Double a number.' };
    expect(renderPrompt('', 'chat', bare)).toContain('the name `f`');
    expect(renderPrompt('', 'chat', { ...bare, starterCode: 'def f(n):' })).toContain(
      'Begin with this code:\n```\ndef f(n):',
    );
    expect(
      renderPrompt('', 'chat', { ...parts, statement: 'def f(n):\n  "x"', starterCode: 'def f(n):' }),
    ).not.toContain('Begin with');
  });

  it('hands a completing model the code that it continues', () => {
    expect(renderPrompt('', 'completion', { ...parts, starterCode: 'def f(n):\n' })).toBe('def f(n):\n');
    expect(renderPrompt('', 'completion', parts)).toBe('Write `f(n)`.\n');
  });
});
