import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readWorkspace } from './workspace.mjs';

/** The layer rule, by dependency-cruiser over every source file, specs included. */
export async function checkLayers({ root, run }) {
  const { packages } = readWorkspace(root);
  const folders = ['proto', 'libs', 'services', 'clients'].filter((folder) => existsSync(join(root, folder)));
  const { code, stdout, output } = await run('depcruise', [
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'json',
    ...folders,
  ]);
  let found;
  try {
    found = JSON.parse(stdout);
  } catch {
    return [`dependency-cruiser did not run (exit ${code}):\n${output}`];
  }
  const { violations, totalCruised } = found.summary;
  if (totalCruised < packages.length)
    return [`dependency-cruiser saw ${totalCruised} files in ${packages.length} packages`];
  return violations.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`);
}
