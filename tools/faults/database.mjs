/** The PostgreSQL of a system that is harmed: stopped, killed, on a disk that fills up. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBundledPostgres } from '../../libs/bundled-postgres/dist/index.js';

/** So that the log of writes does not fill a small disk by itself. */
const ON_SMALL_DISK = { max_wal_size: '64MB', min_wal_size: '32MB' };

export class Database {
  #server;

  /** @param folder of its own  @param diskMb size of a disk of its own in memory, where it has one */
  constructor(folder, { diskMb } = {}) {
    this.folder = folder;
    this.disk = diskMb && new SmallDisk(folder, diskMb);
  }

  get port() {
    return this.#server.port;
  }

  /** Past every proxy: for looking, never for the services. */
  get url() {
    return this.#server.url;
  }

  urlThrough(port) {
    return this.url.replace(`:${this.port}/`, `:${port}/`);
  }

  async start() {
    if (this.#server === undefined) {
      mkdirSync(this.folder, { recursive: true });
      this.disk?.mount();
    }
    const settings = this.disk && { settings: ON_SMALL_DISK };
    const port = this.#server && { port: this.#server.port };
    this.#server = await startBundledPostgres({ folder: this.folder, ...port, ...settings });
  }

  stop() {
    return this.#server.stop();
  }

  kill() {
    process.kill(this.#server.pid, 'SIGKILL');
  }

  async end() {
    await this.#server?.stop().catch(() => undefined);
    await this.disk?.unmount();
  }
}

/** A file system in memory. */
export class SmallDisk {
  #mounted = false;

  constructor(folder, mb) {
    this.folder = folder;
    this.mb = mb;
  }

  mount() {
    mkdirSync(this.folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${this.mb}m`, 'tmpfs-of-faults', this.folder]);
    this.#mounted = true;
  }

  /** To its last byte. @returns what makes room again */
  fill() {
    const ballast = join(this.folder, 'ballast');
    const { bavail, bsize } = statfsSync(this.folder);
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 4096)));
    return () => rmSync(ballast);
  }

  async unmount() {
    if (!this.#mounted) return;
    this.#mounted = false;
    // A server that was told to stop holds its files for a moment.
    await delay(500);
    execFileSync('umount', ['-l', this.folder]);
  }
}

/** Disks that a run which was killed left below a folder. */
export function unmountLeftovers(folder) {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [device, mount] = line.split(' ');
    if (device === 'tmpfs-of-faults' && mount.startsWith(`${folder}/`)) execFileSync('umount', ['-l', mount]);
  }
}
