/**
 * Puts a preamble (signature and docstring, or empty) and an answer together.
 *
 * A completion continues the preamble character by character. Code from a chat answer is mostly the whole function:
 * it follows the preamble, whose bodyless function it replaces while its imports and helpers stay in force. Where it
 * is only the function's body, it is indented so that it continues the function.
 */
export function assembleProgram(
  preamble: string,
  answer: { readonly code: string; readonly continuesPreamble: boolean },
  entry: string | undefined,
): string {
  const code = unixLines(answer.code);
  if (preamble === '') return `${code}\n`;
  if (answer.continuesPreamble) return `${unixLines(preamble)}${code}\n`;
  const definesEntry =
    entry === undefined || new RegExp(`^[ \\t]*(async[ \\t]+)?(def|class)[ \\t]+${escaped(entry)}\\b`, 'm').test(code);
  const startsIndented = /^(?:[ \t]*\n)*[ \t]+\S/.test(code);
  const isBody = !definesEntry && !/^(def|class|async def)\b/m.test(code);
  const body = isBody && !startsIndented ? code.replace(/^(?=.*\S)/gm, '    ') : code;
  return `${withoutTrailingNewlines(unixLines(preamble))}\n${isBody ? body : `\n\n${code}`}\n`;
}

function unixLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function withoutTrailingNewlines(text: string): string {
  return text.replace(/\n+$/, '');
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
