/** Biome's format; `npm run format` writes it. */
export async function checkFormat({ run }) {
  const { code, output } = await run('biome', ['format', '--no-errors-on-unmatched', '--max-diagnostics=20']);
  return code === 0 ? [] : [output, 'npm run format writes it.'];
}
