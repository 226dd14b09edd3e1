import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';

const INPUTS = ['job', 'in', 'harness'] as const;
const OUTPUTS = ['out', 'err', 'report'] as const;
/** What the waiting interpreter has as its standard input and output. */
const IDLE = 'idle';
const PREFIX = 'tidemark-warm-';

/**
 * The named pipes of one slot: real pipes, which a program may also open by name, and of which the waiting interpreter
 * itself opens none. Nothing of a run is ever written to the host's disk.
 */
export class Pipes {
  private constructor(readonly folder: string) {}

  /** @param uid host user that runs are; undefined where that is the service's own */
  static async make(uid: number | undefined): Promise<Pipes> {
    const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    const paths = [...INPUTS, ...OUTPUTS, IDLE].map((name) => join(folder, name));
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
    if (uid !== undefined) for (const path of [folder, ...paths]) chownSync(path, uid, uid);
    chmodSync(folder, 0o700);
    return new Pipes(folder);
  }

  get idle(): string {
    return join(this.folder, IDLE);
  }

  /** Opens what one run needs. Ends of the outputs follow when its last process has closed them. */
  open(): OpenPipes {
    const fds: number[] = [];
    const opened = (name: string, flags: number) => {
      const fd = openSync(join(this.folder, name), flags | constants.O_NONBLOCK);
      fds.push(fd);
      return fd;
    };
    try {
      // For reading too: then opening does not wait, and the pipe outlives a moment without a reader.
      const input = (name: (typeof INPUTS)[number]) => opened(name, constants.O_RDWR);
      const output = (name: (typeof OUTPUTS)[number]) => opened(name, constants.O_RDONLY);
      const [job, stdin, harness] = [input('job'), input('in'), input('harness')] as const;
      const [stdout, stderr, report] = [output('out'), output('err'), output('report')] as const;
      const writer = (fd: number) => new Socket({ fd, readable: false, writable: true });
      const reader = (fd: number) => new Socket({ fd, readable: true, writable: false });
      return {
        job: writer(job),
        stdin: writer(stdin),
        harness: writer(harness),
        stdout: reader(stdout),
        stderr: reader(stderr),
        report: reader(report),
      };
    } catch (error) {
      for (const fd of fds) closeSync(fd);
      throw error;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export type OpenPipes = {
  readonly job: Writable;
  readonly stdin: Writable;
  readonly harness: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly report: Readable;
};

/** Removes what services that were killed left behind. */
export function sweepPipes(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const pid = name.slice(PREFIX.length).split('-')[0] ?? '';
    if (existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's: theirs to remove, and in nobody's way.
    }
  }
}
