import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readWorkspace } from './workspace.mjs';

/**
 * Sources by project references, then everything with its specs; both keep what they know between runs. Then Node
 * imports each package as it was built: names that a CommonJS package doesn't show to Node pass the compiler, and vitest.
 */
export async function checkTypes({ root, run }) {
  const faults = [];
  for (const args of [['-b'], ['-p', 'tsconfig.spec.json']]) {
    const { code, output } = await run('tsc', args);
    if (code !== 0) faults.push(`tsc ${args.join(' ')}:\n${output}`);
  }
  const { packages } = readWorkspace(root);
  const built = packages.filter(({ manifest }) => manifest.exports?.['.'] !== undefined);
  const urls = built.map(({ folder }) => pathToFileURL(join(root, folder, 'dist', 'index.js')).href);
  const { code, output } = await run('node', ['--input-type=module', '--eval', importEach(urls)]);
  if (code !== 0) faults.push(`a built package can't be imported by Node:\n${output}`);
  return faults;
}

/** Leaves at the end, whatever an import keeps open. */
function importEach(urls) {
  const each = `for (const url of ${JSON.stringify(urls)})
    await import(url).catch((error) => { console.error(url, error); process.exitCode = 1; });`;
  return `${each} process.exit();`;
}
