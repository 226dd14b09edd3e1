/** Biome's format; `npm run format` writes it. Names the files only: what would change is seen by writing it. */
export async function checkFormat({ run }) {
  const { code, output } = await run('biome', ['format', '--reporter=github', '--max-diagnostics=none']);
  if (code === 0) return [];
  const files = [...output.matchAll(/file=([^,]+)/g)].map(([, file]) => file);
  return files.length === 0
    ? [output]
    : [`not formatted (npm run format writes it): ${[...new Set(files)].join(', ')}`];
}
