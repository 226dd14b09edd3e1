/** What a look at a Python program's text shows, without running it. */
export interface ProgramShape {
  /** Lines with code: not blank, not a comment alone, docstrings left out. */
  readonly lines: number;
  /** `for` and `while`, comprehensions counted too. */
  readonly loops: number;
  /** Depth of the deepest loop within loops, comprehensions counted as one; 0 without loops. */
  readonly loopDepth: number;
  /** `if`, `elif` and conditional expressions. */
  readonly branches: number;
  /** Functions and classes defined. */
  readonly definitions: number;
  /** A function that calls itself by name. */
  readonly recursive: boolean;
  /** Tools of the standard library that carry an algorithm: heapq, bisect, deque, caches, itertools … */
  readonly tools: readonly string[];
  /** Indexed tables that are written in a loop, the sign of dynamic programming and of tree or union structures. */
  readonly tables: number;
}

const TOOLS = [
  'heapq',
  'bisect',
  'deque',
  'Counter',
  'defaultdict',
  'lru_cache',
  'itertools',
  'fractions',
  'math',
  're',
];

/** Recursion is looked for in so many lines: the search costs lines times functions. */
const LINES_LOOKED_AT = 2000;

/** The shape of a Python program. For other languages lines, branches and loops are still roughly right. */
export function programShapeOf(source: string): ProgramShape {
  const code = withoutTexts(source);
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  return {
    lines: lines.length,
    loops: count(code, /\b(?:for|while)\b/g),
    loopDepth: loopDepthOf(lines),
    branches: count(code, /\b(?:if|elif|case)\b/g),
    definitions: count(code, /^\s*(?:async\s+)?(?:def|class)\b/gm),
    recursive: hasRecursion(lines.slice(0, LINES_LOOKED_AT)),
    tools: TOOLS.filter((tool) => new RegExp(`\\b${tool}\\b`).test(code)),
    tables: count(code, /\b\w+\[[^\]\n]{1,80}\](?:\[[^\]\n]{1,80}\])?\s?(?:[-+*|&]|\/\/?)?=(?!=)/g),
  };
}

/** Depth by indentation; a comprehension adds one to the loops around its line. */
function loopDepthOf(lines: readonly string[]): number {
  let deepest = 0;
  const open: number[] = [];
  for (const line of lines) {
    const indent = indentOf(line);
    while (open.length > 0 && (open.at(-1) ?? 0) >= indent) open.pop();
    if (/^\s*(?:async\s+)?(?:for|while)\b/.test(line)) open.push(indent);
    const bracket = line.search(/[([{]/);
    const within = bracket >= 0 && /\bfor\b/.test(line.slice(bracket)) ? 1 : 0;
    deepest = Math.max(deepest, open.length + within);
  }
  return deepest;
}

/** A function, nested ones too, whose own body calls its name. A method call by another object's name doesn't count. */
function hasRecursion(lines: readonly string[]): boolean {
  return lines.some((line, start) => {
    const name = /^\s*(?:async\s+)?def\s+(\w+)/.exec(line)?.[1];
    if (name === undefined) return false;
    const next = lines.findIndex((other, i) => i > start && indentOf(other) <= indentOf(line));
    const body = lines.slice(start + 1, next < 0 ? lines.length : next).join('\n');
    return new RegExp(`(?<![.\\w])${name}\\s?\\(`).test(body);
  });
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Takes comments and the content of string literals out, so that words in them are not taken for code. */
function withoutTexts(source: string): string {
  return source.replace(/("""|''')[\s\S]*?(?:\1|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g, (text) =>
    text.startsWith('#') ? '' : text.startsWith('"""') || text.startsWith("'''") ? '' : "''",
  );
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;
