/** `maxTestBytes` of `normalize` is `TIDEMARK_NORMALIZE_MAX_TEST_BYTES`. An empty prefix part is left out. */
export function variableName(prefix: string, field: string): string {
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  return ['TIDEMARK', prefix.toUpperCase(), words].filter((part) => part !== '').join('_');
}
