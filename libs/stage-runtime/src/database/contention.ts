/**
 * Serialisation failure or deadlock: two transactions got in each other's way, and one had to give in. Says nothing
 * about its content; doing it again helps.
 */
export function isContention(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '40001' || code === '40P01';
}
