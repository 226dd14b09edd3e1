import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPostmaster } from '@tidemark/bundled-postgres';

const HOME = join(tmpdir(), 'tidemark-test-servers');

/**
 * A new folder for a server of this process, named after it, and open to the server's user. Folders of processes that
 * are gone (a run that was killed) are removed on the way, their servers stopped.
 */
export function testFolder(server: 'postgres' | 'kafka' | 'certificate'): string {
  const home = `${HOME}-${process.getuid?.() ?? 0}`;
  mkdirSync(home, { recursive: true });
  sweep(home);
  const folder = mkdtempSync(join(home, `${process.pid}-${server}-`));
  chmodSync(folder, 0o711);
  return folder;
}

function sweep(home: string): void {
  for (const name of readdirSync(home)) {
    if (isAlive(Number.parseInt(name, 10))) continue;
    const left = readPostmaster(join(home, name, 'data'));
    if (left !== undefined) process.kill(left.pid, 'SIGQUIT');
    rmSync(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
