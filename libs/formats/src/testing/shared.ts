import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Path of a file of the shared test data; undefined, said plainly, when it is not on this machine. */
export function sharedFile(path: string): string | undefined {
  const root = process.env.TIDEMARK_SHARED ?? resolve(import.meta.dirname, '../../../../../shared');
  const file = resolve(root, path);
  if (existsSync(file)) return file;
  process.stderr.write(`skipped: ${path} is not here (set TIDEMARK_SHARED to the folder that holds it)\n`);
  return undefined;
}
