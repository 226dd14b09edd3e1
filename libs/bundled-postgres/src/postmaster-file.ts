import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** What a running server writes into its data folder (`postmaster.pid`). */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** False while it starts or recovers, and while it shuts down. */
  readonly ready: boolean;
}

/** Reads `postmaster.pid` of a data folder; undefined when there is none, or no server of this folder runs any more. */
export function readPostmaster(dataFolder: string): Postmaster | undefined {
  const lines = readLines(dataFolder);
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || ownerOf(pid, dataFolder) !== 'this server') return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * True when the file names a process that is alive and something else: its number was given away after a crash, and
 * PostgreSQL itself, which looks no further than the number, would refuse to start for ever.
 */
export function postmasterNumberWasReused(dataFolder: string): boolean {
  const pid = Number(readLines(dataFolder)[0]);
  return Number.isInteger(pid) && pid > 1 && ownerOf(pid, dataFolder) === 'another program';
}

function readLines(dataFolder: string): string[] {
  try {
    return readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

function ownerOf(pid: number, dataFolder: string): 'this server' | 'another program' | 'nobody' {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'nobody';
  }
  if (process.platform !== 'linux') return 'this server';
  try {
    // A postmaster works inside its data folder, and nothing else does.
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder) ? 'this server' : 'another program';
  } catch (error) {
    // ENOENT: it ended meanwhile, or is a zombie. Otherwise it is another user's, so not one that we started.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nobody' : 'another program';
  }
}
