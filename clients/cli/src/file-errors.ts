/** A file that is there and can't be read as what it is. */
export class UnreadableFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableFileError';
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: "can't be read: you are not allowed to",
  EISDIR: 'is a folder, not a file',
};

/** In words what went wrong with a file of the user's; undefined for what is no fault of a file. */
export function fileErrorText(error: unknown): string | undefined {
  if (error instanceof UnreadableFileError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || !['open', 'read', 'stat', 'lstat'].includes(syscall ?? '')) return undefined;
  return `${path ?? 'the file'} ${WHY[code] ?? `can't be read (${code})`}`;
}
