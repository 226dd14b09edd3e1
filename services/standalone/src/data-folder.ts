import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one installation keeps on disk. */
export interface DataFolder {
  readonly root: string;
  /** The bundled PostgreSQL's cluster and password. */
  readonly postgres: string;
  readonly blobs: string;
  /** Where the services write their log lines. */
  readonly logFile: string;
  /** Shared by gateway and ingest: the gateway vouches for a submission by it. Made once, readable by the owner alone. */
  readonly gatewaySecret: string;
}

/** The data folder can't be used; the message says why. */
export class DataFolderError extends Error {
  constructor(
    readonly root: string,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`the data folder ${root} ${why}`, options);
    this.name = 'DataFolderError';
  }
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: "can't be written: you are not allowed to",
  EPERM: "can't be written: you are not allowed to",
  EROFS: "can't be written: its file system is read-only",
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'lies below a file, or is one',
  ENOSPC: "can't be written: the disk is full",
  // What Node says of a folder that it may not make.
  ENOENT: "can't be written: it can't be made there",
};

/**
 * Opens the folder, making what is missing.
 *
 * @throws DataFolderError
 */
export function openDataFolder(root: string): DataFolder {
  try {
    return open(root);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    throw new DataFolderError(root, WHY[code] ?? `can't be used (${code})`, { cause: error });
  }
}

function open(root: string): DataFolder {
  mkdirSync(root, { recursive: true });
  const blobs = join(root, 'blobs');
  mkdirSync(blobs, { recursive: true, mode: 0o700 });
  accessSync(root, constants.W_OK);
  return {
    root,
    postgres: join(root, 'postgres'),
    blobs,
    logFile: join(root, 'tidemark.log'),
    gatewaySecret: secret(join(root, 'gateway-secret')),
  };
}

function secret(path: string): string {
  if (!existsSync(path)) {
    // Whole or not at all, and the first of two processes wins: the other reads what it wrote.
    const making = `${path}.${process.pid}`;
    writeFileSync(making, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    try {
      linkSync(making, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(making);
    }
  }
  return readFileSync(path, 'utf8').trim();
}
