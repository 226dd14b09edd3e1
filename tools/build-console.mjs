/** Builds the console into `clients/console/dist/site`, unless what is there was built from the same sources. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'clients', 'console');
const stamp = join(folder, 'dist', '.built-from');

const wanted = hashOfSources();
if (!existsSync(join(folder, 'dist', 'site', 'index.html')) || readStamp() !== wanted) {
  process.stderr.write('building the console\n');
  const { build } = await import('vite');
  await build({ configFile: join(folder, 'vite.config.mjs'), logLevel: 'warn' });
  writeFileSync(stamp, wanted);
}

function readStamp() {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Names and contents of everything that the build reads; the lock file says which packages. */
function hashOfSources() {
  const sources = globSync(['src/**', 'public/**', 'index.html', 'vite.config.mjs', 'package.json'], {
    cwd: folder,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const path of [...sources, join(root, 'package-lock.json')]) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
