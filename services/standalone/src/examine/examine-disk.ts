import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Ailment, type Finding, finding } from './finding.ts';

/** Below this PostgreSQL and the blob store may stop in the midst of a day's work. */
const MIN_FREE_BYTES = 2 * 2 ** 30;
const MIN_FREE_SHARE = 0.05;
const GIB = 2 ** 30;

/** Room and rights in a folder, or in the nearest one above that is there already. */
export function examineDisk(what: string, folder: string): Promise<Finding> {
  return finding(`disk of ${what}`, `Make it writable for this user: ${folder}`, async () => {
    const there = await nearestFolder(resolve(folder));
    await access(there, constants.W_OK);
    const { bavail, bsize, blocks, files, ffree } = await statfs(there);
    const free = bavail * bsize;
    const words = `${(free / GIB).toFixed(1)} GiB free below ${there}`;
    if (free < MIN_FREE_BYTES || free < MIN_FREE_SHARE * blocks * bsize) {
      throw new Ailment(words, 'Make room, or name a folder on another disk (TIDEMARK_BLOB_FOLDER, --data-folder).');
    }
    if (files > 0 && ffree < 10_000)
      throw new Ailment(`${words}, but only ${ffree} inodes`, 'Remove small files, or use another file system.');
    return words;
  });
}

async function nearestFolder(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : await nearestFolder(above);
  }
}
