import { mkdir, mkdtemp, lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Written by others than the owner. */
const OTHERS_WRITE = 0o022;

/**
 * A folder for compiled programs and headers. A wanted one is made; otherwise the user's own below the system's
 * temporary folder, which its next service finds again, or, where somebody else sits there, a fresh one.
 */
export async function buildFolder(wanted: string): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = wanted === '' ? join(tmpdir(), `tidemark-builds-${uid}`) : wanted;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & OTHERS_WRITE) === 0) return folder;
  if (wanted !== '')
    throw new Error(`${folder} is not this user's alone to write: compiled programs can't be kept there`);
  return await mkdtemp(join(tmpdir(), 'tidemark-builds-'));
}
