import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Opens the folder, making what is missing. */
export function openDataFolder(root: string): DataFolder {
  mkdirSync(root, { recursive: true });
  const blobs = join(root, 'blobs');
  mkdirSync(blobs, { recursive: true, mode: 0o700 });
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
