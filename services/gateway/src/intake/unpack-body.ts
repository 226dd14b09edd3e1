import { ArchiveError, readArchive } from '@tidemark/packages';
import { type Fault, type PackageOptions, readPackage, type Warning } from '@tidemark/formats';
import { tooLarge, unusable } from '../http/http-problem.ts';
import type { SpooledBody } from './spool-body.ts';

/** Of an archive as it comes; unpacked it may be larger. */
const ARCHIVE_BYTES = 64 * 1024 * 1024;
const TYPES = /^application\/(zip|x-zip-compressed|x-tar|gzip|x-gzip|x-compressed-tar)\b/i;

/** Whether an upload is a problem package in an archive, by its media type. */
export const isArchive = (contentType: string | undefined): boolean => TYPES.test(contentType ?? '');

/**
 * An upload that is one problem package, as the one record that it holds: from here on it goes the way of every record.
 * The upload is still named by the archive's own bytes.
 *
 * @throws HttpProblem 413 above the limit, 422 for an archive or a package that is refused
 */
export async function unpackBody(
  body: SpooledBody,
  name: string,
  options: PackageOptions,
): Promise<{ readonly body: SpooledBody; readonly warnings: readonly Warning[] }> {
  if (body.sizeBytes > ARCHIVE_BYTES) {
    throw tooLarge('The archive', ARCHIVE_BYTES, 'Leave out what is no part of the problem, or the largest tests.');
  }
  const parts: Uint8Array[] = [];
  for await (const part of body.chunks()) parts.push(part);
  let read: ReturnType<typeof readPackage>;
  try {
    read = readPackage(await readArchive(Buffer.concat(parts), name), options);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    const { code, path, reason, advice } = error;
    throw notTaken([{ code, field: path, reason, advice }]);
  }
  if (read.kind === 'refused') throw notTaken(read.faults);
  const record = new TextEncoder().encode(read.record);
  async function* chunks() {
    yield record;
  }
  const { sha256, dispose } = body;
  return { body: { sha256, sizeBytes: record.length, chunks, dispose }, warnings: read.warnings };
}

function notTaken(faults: readonly (Omit<Fault, 'code'> & { readonly code: string })[]) {
  const told = faults.map(({ field, reason, code }) => ({ where: field || 'package', why: `${reason} (${code})` }));
  return unusable('The problem package was not taken.', told, `${faults[0]?.advice ?? 'See docs/formats.md'}.`);
}
