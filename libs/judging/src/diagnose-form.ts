const DEFINITION = /^(def|class|async def)\s/;
/** What may stand in column 0 of a file that only defines: definitions, imports, decorators, comments, closings. */
const PASSIVE = /^(def\s|class\s|async def\s|import\s|from\s|@|#|[)\]}]|"""|'''|[A-Za-z_]\w*\s*(:[^=]+)?=[^=])/;

/**
 * Tells a function handed in where a program was asked for: Python that defines and never calls anything at the top
 * level. Only asked when a program wrote nothing at all, so a rough reading of column 0 suffices.
 */
export function definesWithoutCalling(python: string): boolean {
  const lines = withoutStrings(python)
    .split('\n')
    .filter((line) => /^\S/.test(line));
  return (
    lines.some((line) => DEFINITION.test(line)) && lines.every((line) => PASSIVE.test(line) && !callsAtTopLevel(line))
  );
}

function callsAtTopLevel(line: string): boolean {
  return !DEFINITION.test(line) && !line.startsWith('@') && /^[A-Za-z_]\w*\s*(:[^=]+)?=.*\w\(/.test(line);
}

/** Blanks the inside of triple-quoted strings, whose lines may start anywhere. */
function withoutStrings(python: string): string {
  return python.replace(/("""|''')[\s\S]*?\1/g, '""""""');
}
