import { ArchiveError } from './archive-error.ts';

/** How much is taken in; what is larger is refused before it is read. */
export interface PackageBounds {
  /** Files and folders. */
  readonly entries: number;
  /** Of one file, unpacked. */
  readonly fileBytes: number;
  /** Of all files, unpacked: what bounds a zip bomb, whatever its headers say. */
  readonly totalBytes: number;
}

/** Room for every test that a record can hold, and for the pictures and generators beside them. */
export const defaultBounds: PackageBounds = {
  entries: 20_000,
  fileBytes: 32 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
};

const PATH_CHARACTERS = 400;
const DEPTH = 24;

/** Counts what comes in. */
export class Allowance {
  private entries = 0;
  private bytes = 0;

  constructor(private readonly bounds: PackageBounds) {}

  /** @throws ArchiveError when there are too many */
  entry(): void {
    this.entries += 1;
    if (this.entries <= this.bounds.entries) return;
    throw new ArchiveError(
      'too_large',
      '',
      `holds more than ${this.bounds.entries} files`,
      'Leave out what is no part of the problem',
    );
  }

  /** How many more bytes a file may have. */
  room(): number {
    return Math.min(this.bounds.fileBytes, this.bounds.totalBytes - this.bytes);
  }

  /** @throws ArchiveError when they are too many */
  take(path: string, fileBytes: number, added: number): void {
    this.bytes += added;
    if (fileBytes > this.bounds.fileBytes) {
      throw new ArchiveError(
        'too_large',
        path,
        `unpacks to more than ${this.bounds.fileBytes} bytes`,
        'Leave it out, or make it smaller',
      );
    }
    if (this.bytes > this.bounds.totalBytes) {
      throw new ArchiveError(
        'too_large',
        path,
        `brings the whole to more than ${this.bounds.totalBytes} bytes unpacked`,
        'Leave out the largest tests',
      );
    }
  }
}

/**
 * A path within the package, parts joined by `/`.
 *
 * @throws ArchiveError for one that leads out, is absolute, or would be read otherwise elsewhere
 */
export function safePath(given: string): string {
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  const isOut = given.startsWith('/') || parts.includes('..') || /^[A-Za-z]:/.test(given);
  if (isOut || given.includes('\\') || /[\0-\x1f]/.test(given)) {
    const shown = given.replaceAll(/[\0-\x1f]/g, '?').slice(0, 100);
    throw new ArchiveError(
      'unsafe_archive',
      shown,
      isOut ? 'leads out of the package' : 'is no plain path',
      'Name files by relative paths with / between their parts',
    );
  }
  if (given.length > PATH_CHARACTERS || parts.length > DEPTH) {
    throw new ArchiveError(
      'too_large',
      `${given.slice(0, 100)}…`,
      `is a path of more than ${PATH_CHARACTERS} characters or ${DEPTH} folders`,
      'Shorten it',
    );
  }
  return parts.join('/');
}

/** What is no part of a problem, and left behind wherever it lies. */
export function isClutter(path: string): boolean {
  return /(^|\/)(\.git|\.svn|__MACOSX|\.DS_Store|__pycache__|Thumbs\.db)(\/|$)/.test(path);
}
