import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where the staged folders are shown in the private namespace: exists on every system, and is empty for us. */
const SHELF = '/mnt';

/**
 * A mount namespace of our own that shows folders which the unprivileged user can't reach by their own path, for
 * example a Python below /root. Held by one process that ends with the service; nothing of it is visible outside, and
 * nothing stays.
 */
export class Staging {
  private constructor(
    private readonly holder: ChildProcess,
    private readonly folders: readonly string[],
  ) {}

  /** Throws when the namespace can't be made. Only root can. */
  static async of(folders: readonly string[]): Promise<Staging> {
    const mounts = folders.map((folder, index) => {
      return `mkdir ${SHELF}/${index} && mount --bind '${folder.replaceAll("'", `'\\''`)}' ${SHELF}/${index}`;
    });
    const script = [`mount -t tmpfs -o size=64k,mode=755 tmpfs ${SHELF}`, ...mounts, 'echo ready', 'exec cat'].join(
      ' && ',
    );
    const unshare = findProgram('unshare');
    if (!unshare) throw new Error('unshare (util-linux) is missing');
    const holder = spawn(unshare, ['--mount', '--propagation', 'slave', '/bin/sh', '-c', script], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      // A Ctrl-C at the terminal must not take it from under the runs that are finished first.
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      let said = '';
      holder.stdout.once('data', () => resolve());
      holder.stderr.on('data', (data) => {
        said += data;
      });
      holder.once('error', reject);
      holder.once('exit', () => reject(new Error(`no mount namespace for the language folders: ${said.trim()}`)));
    });
    holder.unref();
    return new Staging(holder, folders);
  }

  get namespace(): string {
    return `/proc/${this.holder.pid}/ns/mnt`;
  }

  sourceOf(folder: string): string {
    const index = this.folders.indexOf(folder);
    return index < 0 ? folder : `${SHELF}/${index}`;
  }

  async close(): Promise<void> {
    if (this.holder.exitCode !== null || this.holder.signalCode !== null) return;
    const ended = new Promise((resolve) => this.holder.once('exit', resolve));
    this.holder.ref();
    this.holder.kill('SIGKILL');
    await ended;
  }
}

/** True when any user may enter every folder on the way to `folder`, itself counted. */
export function isReachableByAnyone(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Absolute path of a program in the system's own folders, or undefined. */
export function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']
    .map((folder) => `${folder}/${name}`)
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
