import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BundledPostgresError } from './errors.ts';

/** The account a server process runs under; undefined where it is our own. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the system user `postgres`, which is created when it is missing.
 * @returns undefined for anybody but root: the server then runs as ourselves
 * @throws {BundledPostgresError} `postgres.no_server_user`
 */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const known = lookUp();
  if (known !== undefined) return known;
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'pipe' });
  } catch (cause) {
    throw new BundledPostgresError(
      'postgres.no_server_user',
      'PostgreSQL does not run as root, and the user "postgres" is missing and could not be created with useradd. ' +
        'Create it, or run as an ordinary user.',
      { cause },
    );
  }
  const created = lookUp();
  if (created === undefined) {
    throw new BundledPostgresError(
      'postgres.no_server_user',
      'useradd succeeded, and still there is no user "postgres".',
    );
  }
  return created;
}

function lookUp(): ServerUser | undefined {
  try {
    const id = (flag: string): number =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

/**
 * The nearest ancestor of `path` (or `path` itself) that `user` may not enter, going by mode bits; undefined when the
 * way is open. Without this check initdb dies without a word, and a caller that waits for words waits for ever.
 */
export function closedFolderOnTheWay(path: string, user: ServerUser | undefined): string | undefined {
  if (user === undefined) return undefined;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const entry = statSync(folder, { throwIfNoEntry: false });
    if (entry !== undefined) {
      const enter = entry.uid === user.uid ? 0o100 : entry.gid === user.gid ? 0o010 : 0o001;
      if ((entry.mode & enter) === 0) return folder;
    }
    if (folder === dirname(folder)) return undefined;
  }
}
