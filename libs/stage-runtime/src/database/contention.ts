/**
 * Serialisation failure or deadlock: two transactions got in each other's way, and one had to give in. Says nothing
 * about its content; doing it again helps.
 */
export function isContention(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '40001' || code === '40P01';
}

/** SQLSTATEs of an error and of what caused it. */
export function sqlStatesOf(error: unknown): readonly string[] {
  const states: string[] = [];
  for (let link = error; link instanceof Error && states.length < 8; ) {
    states.push('code' in link && typeof link.code === 'string' ? link.code : '');
    link = 'driverError' in link ? link.driverError : link.cause;
  }
  return states;
}
