import { join } from 'node:path';
import { readJson } from './workspace.mjs';

/** The lock file names packages by version and hash; an address would tie every machine to one registry. */
export async function checkLockFile({ root }) {
  const { packages } = readJson(join(root, 'package-lock.json'));
  return Object.entries(packages).flatMap(([path, entry]) => {
    if (entry.link === true || !path.includes('node_modules/')) return [];
    if (entry.resolved !== undefined) return [`package-lock.json: ${path} holds an address: ${entry.resolved}`];
    return entry.integrity === undefined && entry.inBundle !== true ? [`package-lock.json: ${path} has no hash`] : [];
  });
}
