import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type Fault,
  type PackageFiles,
  type PackageSubmission,
  type PackageTiming,
  parseProblem,
  type ProblemRecord,
  readPackage,
  type RecordSolution,
  splitLines,
  type Warning,
} from '@tidemark/formats';
import { ArchiveError, archiveKindOf, readArchive, readFolder } from '@tidemark/packages';

/** A problem as it is judged on the spot. */
export interface SpotProblem {
  readonly record: ProblemRecord;
  /** Programs that come with it, and what each is said to earn. */
  readonly labelled: readonly PackageSubmission[];
  readonly timing: PackageTiming | undefined;
  readonly warnings: readonly Warning[];
}

/** A problem that can't be judged, in words for whoever gave it. */
export class UnusableProblemError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableProblemError';
  }
}

const FILE_BYTES = 256 * 1024 * 1024;

/**
 * Reads a package (folder, zip, tar), or a record of a problem file.
 *
 * @param id which record of a file, by the source's id or by `line:N`; needed where the file holds several
 * @throws UnusableProblemError, and what the file system throws
 */
export async function readProblem(path: string, id: string | undefined): Promise<SpotProblem> {
  const found = await stat(path);
  try {
    if (found.isDirectory()) return ofPackage(path, await readFolder(path));
    if (found.size > FILE_BYTES) throw new UnusableProblemError(`${path} is larger than ${FILE_BYTES} bytes`);
    const bytes = await readFile(path);
    const kind = archiveKindOf(bytes);
    if (kind === 'zip' || kind === 'tar' || (kind === 'gzip' && /\.(tgz|tar\.gz)$/i.test(path))) {
      return ofPackage(path, await readArchive(bytes, basename(path)));
    }
    return ofFile(path, kind === 'gzip' ? gunzipSync(bytes, { maxOutputLength: FILE_BYTES }) : bytes, id);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new UnusableProblemError(`${path}: ${error.message}.`, { cause: error });
  }
}

function ofPackage(path: string, files: PackageFiles): SpotProblem {
  // Where it came from decides nothing here.
  const read = readPackage(files, { allowMissingTests: true, namespace: 'on-the-spot' });
  if (read.kind === 'refused') throw refused(path, read.faults);
  const parsed = parseProblem(read.record);
  if (parsed.kind === 'faulty') throw refused(path, parsed.faults);
  return { record: parsed.record, labelled: read.submissions, timing: read.timing, warnings: read.warnings };
}

function ofFile(path: string, bytes: Uint8Array, id: string | undefined): SpotProblem {
  const lines = [...splitLines(bytes)];
  const whole = parseWhole(bytes);
  const candidates = whole ? [{ line: 1, bytes }] : lines;
  const several = id === undefined && candidates.length > 1;
  if (several)
    throw new UnusableProblemError(`${path} holds ${candidates.length} records: name one by --id (or --id line:N)`);
  for (const { line, bytes: text } of candidates) {
    if (id !== undefined && /^line:\d+$/.test(id) && id !== `line:${line}`) continue;
    const parsed = parseProblem(text, '', { namespace: 'on-the-spot' });
    const isNamed = id === undefined || id === `line:${line}`;
    if (parsed.kind === 'faulty') {
      if (isNamed || parsed.recordId === id) throw refused(`${path}:${line}`, parsed.faults);
      continue;
    }
    if (!isNamed && parsed.record.recordId !== id) continue;
    const { references, knownWrong } = parsed.record;
    const labelled = [
      ...references.map((one, at) => labelledOf(one, 'reference', at, ['accepted'])),
      ...knownWrong.map((one, at) =>
        labelledOf(one, 'known_wrong', at, ['wrong_answer', 'time_limit', 'runtime_error', 'memory_limit']),
      ),
    ];
    return { record: parsed.record, labelled, timing: undefined, warnings: parsed.warnings };
  }
  throw new UnusableProblemError(
    candidates.length === 0 ? `${path} holds no record` : `${path} holds no record ${id ?? ''}`,
  );
}

/** One JSON text over several lines. */
function parseWhole(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

const labelledOf = (
  { code, language }: RecordSolution,
  label: string,
  at: number,
  expected: PackageSubmission['expected'],
): PackageSubmission => ({ path: `${label} ${at + 1}`, language, code, label, expected });

function refused(where: string, faults: readonly Fault[]): UnusableProblemError {
  const told = faults.map(({ field, reason, advice }) => `${[field, reason].filter(Boolean).join(' ')}. ${advice}.`);
  return new UnusableProblemError(`${where}: ${told.join('\n  ')}`);
}

/** A program of the user's. @throws what the file system throws, UnusableProblemError for one that is too large */
export async function readProgram(path: string, mostBytes = 1024 * 1024): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > mostBytes) throw new UnusableProblemError(`${path} is larger than ${mostBytes} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
