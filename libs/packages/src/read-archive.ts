import type { PackageFiles } from '@tidemark/formats';
import { ArchiveError } from './archive-error.ts';
import { defaultBounds, type PackageBounds } from './bounds.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

export type ArchiveKind = 'zip' | 'tar' | 'gzip';

/** What bytes are an archive of, by their first ones (of a tar, those at 257); undefined where they are none. */
export function archiveKindOf(bytes: Uint8Array): ArchiveKind | undefined {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)) return 'zip';
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  return Buffer.from(bytes.subarray(257, 262)).toString('latin1') === 'ustar' ? 'tar' : undefined;
}

/**
 * The files of a zip, a tar or a gzipped tar, links followed within it.
 *
 * @param name of the file; its ending goes
 * @throws ArchiveError for one that leads out, is too large once unpacked, or is no archive
 */
export async function readArchive(
  bytes: Uint8Array,
  name: string,
  bounds: PackageBounds = defaultBounds,
): Promise<PackageFiles> {
  const kind = archiveKindOf(bytes);
  if (kind === undefined) {
    throw new ArchiveError('invalid_archive', '', 'is no archive', 'Send a zip, a tar or a gzipped tar');
  }
  const files = kind === 'zip' ? await readZip(bytes, bounds) : await readTar(bytes, kind === 'gzip', bounds);
  const short = (name.split('/').at(-1) ?? '').replace(/(\.kattis)?\.(zip|tgz|tar(\.gz)?)$/i, '');
  return { name: short, files };
}
