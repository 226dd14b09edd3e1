/**
 * ESLint with types. Its cache goes by a file's own content, so what changed by another file's types shows only
 * without it: CI runs without.
 */
export async function checkEslint({ run }) {
  const cache = process.env.CI === 'true' ? [] : ['--cache', '--cache-location', '.tidemark/eslint-cache'];
  const { code, output } = await run('eslint', ['--max-warnings', '0', ...cache, '.']);
  return code === 0 ? [] : [output];
}
