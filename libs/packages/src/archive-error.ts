/** An archive or folder that is not read, and why. */
export class ArchiveError extends Error {
  constructor(
    readonly code: 'unsafe_archive' | 'too_large' | 'invalid_archive',
    /** Path within it; empty for it as a whole. */
    readonly path: string,
    /** A sentence without its subject. */
    readonly reason: string,
    readonly advice: string,
    options?: ErrorOptions,
  ) {
    super(`${path === '' ? 'it' : path} ${reason}. ${advice}`, options);
    this.name = 'ArchiveError';
  }
}
