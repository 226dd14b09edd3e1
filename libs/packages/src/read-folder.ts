import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { PackageFiles } from '@tidemark/formats';
import { ArchiveError } from './archive-error.ts';
import { Allowance, defaultBounds, isClutter, type PackageBounds, safePath } from './bounds.ts';

/**
 * The files of a folder. Links are followed to what lies within it.
 *
 * @throws ArchiveError for a link that leads out, for what is neither file nor folder, and above the bounds; what the
 *   file system throws
 */
export async function readFolder(folder: string, bounds: PackageBounds = defaultBounds): Promise<PackageFiles> {
  const root = await realpath(resolve(folder));
  const files = new Map<string, Uint8Array>();
  const allowance = new Allowance(bounds);
  const visit = async (at: string, seen: readonly string[]): Promise<void> => {
    for (const name of (await readdir(at)).sort()) {
      const path = join(at, name);
      const inside = safePath(relative(root, path).split(sep).join('/'));
      if (isClutter(inside)) continue;
      allowance.entry();
      const real = await inFolder(root, path, inside);
      const found = await lstat(real);
      if (found.isDirectory()) {
        if (seen.includes(real))
          throw new ArchiveError('unsafe_archive', inside, 'leads in a circle', 'Put the files themselves there');
        await visitAs(path, real, seen);
      } else if (found.isFile()) {
        if (found.size > allowance.room()) allowance.take(inside, found.size, found.size);
        const content = await readWithin(real, found.size);
        allowance.take(inside, content.length, content.length);
        files.set(inside, content);
      } else {
        throw new ArchiveError('unsafe_archive', inside, 'is neither a file nor a folder', 'Take it out');
      }
    }
  };
  // Under its own path, so that a linked folder's files are named by the link.
  const visitAs = (path: string, real: string, seen: readonly string[]): Promise<void> => visit(path, [...seen, real]);
  await visit(root, [root]);
  return { name: basename(root), files };
}

async function inFolder(root: string, path: string, inside: string): Promise<string> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ELOOP')
      throw error;
    throw new ArchiveError('unsafe_archive', inside, 'is a link that leads nowhere', 'Put the file itself there', {
      cause: error,
    });
  }
  if (real !== root && !real.startsWith(`${root}${sep}`)) {
    throw new ArchiveError(
      'unsafe_archive',
      inside,
      'is a link that leads out of the package',
      'Put the file itself there',
    );
  }
  return real;
}

/** No more than was there when it was looked at: a file that grows meanwhile is no way past the bounds. */
async function readWithin(path: string, size: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
