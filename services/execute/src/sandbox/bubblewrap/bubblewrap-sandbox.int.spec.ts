import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findHierarchies, PREFIX } from '../accounting/hierarchies.ts';
import type { SandboxCommand } from '../sandbox.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const shell = (script: string, stdin = ''): SandboxCommand => ({
  argv: ['/bin/sh', '-c', script],
  environment: { PATH: '/usr/bin:/bin' },
  readOnlyFolders: [],
  hiddenFolders: [],
  files: [],
  stdin: new TextEncoder().encode(stdin),
});

describe.each(['cgroup', 'rlimits'] as const)('the sandbox with %s', (accounting) => {
  let sandbox: BubblewrapSandbox;
  let available = true;
  beforeAll(async () => {
    sandbox = new BubblewrapSandbox({ readOnlyFolders: [], accounting });
    const report = await sandbox.check();
    // Without writable control groups there is the fallback alone.
    available = report.ready || accounting === 'rlimits';
    if (!available) console.warn('SKIPPED: no writable control groups here');
    else expect(report).toMatchObject({ ready: true });
  });
  afterAll(() => sandbox?.close());
  const run = async (command: SandboxCommand, limits: Partial<typeof defaultLimits> = {}) => {
    const outcome = await sandbox.run(command, { ...defaultLimits, ...limits });
    if (outcome.kind !== 'ran') throw new Error(outcome.reason);
    return outcome;
  };

  it('gives back output, errors and the code that the program chose', async ({ skip }) => {
    if (!available) skip();
    const { facts, stdout, stderr } = await run(shell('cat; echo no >&2; exit 7', 'in and out'));
    expect([text(stdout), text(stderr), facts.end]).toEqual(['in and out', 'no\n', { kind: 'exited', code: 7 }]);
  });

  it('loses none of a large output', async ({ skip }) => {
    if (!available) skip();
    const { stdout } = await run(shell('seq 1 300000'));
    expect(stdout.length).toBe(1_988_895);
  });

  it('holds a program to its number of processes', async ({ skip }) => {
    if (!available) skip();
    const forks = 'i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); done; echo all';
    const { stdout } = await run(shell(forks), { processes: 20 });
    expect(text(stdout)).toBe('');
  });

  it("runs beside whatever else its user runs on the machine: others' processes are not the program's", async ({
    skip,
  }) => {
    if (!available) skip();
    const first = String(64_000);
    const others = Array.from({ length: defaultLimits.processes + 20 }, () =>
      process.getuid?.() === 0
        ? spawn('setpriv', ['--reuid', first, '--regid', first, '--clear-groups', 'sleep', '60'])
        : spawn('sleep', ['60']),
    );
    try {
      expect(text((await run(shell('echo here'))).stdout)).toBe('here\n');
    } finally {
      for (const other of others) other.kill('SIGKILL');
    }
  });

  it('stops at the limits of CPU, wall time and output', async ({ skip }) => {
    if (!available) skip();
    const cpu = await run(shell('while :; do :; done'), { cpuTimeMs: 300 });
    expect(cpu.facts.end).toEqual({ kind: 'stopped', by: 'cpu' });
    expect(cpu.facts.cpuTimeMs).toBeGreaterThan(300);
    expect((await run(shell('sleep 60'), { wallTimeMs: 300 })).facts.end).toEqual({ kind: 'stopped', by: 'wall' });
    const output = await run(shell('yes'), { outputBytes: 10_000 });
    expect(output.facts.end).toEqual({ kind: 'stopped', by: 'output' });
    expect(output.stdout.length).toBe(10_000);
  });

  it('tells memory over the own limit from memory that a group above lacks', async ({ skip }) => {
    const { mode, parents } = findHierarchies() ?? { mode: undefined, parents: [] };
    if (!available || accounting !== 'cgroup' || mode === undefined) skip();
    const hog = shell('exec dd if=/dev/zero of=/dev/null bs=200M count=1');
    const [own, other] = [32 << 20, 512 << 20];
    expect((await run(hog, { memoryBytes: own })).facts.memoryKill).toBe('own_limit');
    const above = join(
      parents[0] ?? '',
      `${PREFIX}${process.pid}`,
      mode === 'cgroup-v2' ? 'memory.max' : 'memory.limit_in_bytes',
    );
    writeFileSync(above, String(64 << 20));
    try {
      expect((await run(hog, { memoryBytes: other })).facts.memoryKill).toBe('outside');
    } finally {
      writeFileSync(above, mode === 'cgroup-v2' ? 'max' : '-1');
    }
  });

  it('lets no program lower its own priority, so that none can starve itself', async ({ skip }) => {
    if (!available) skip();
    const { facts, stdout } = await run(shell('nice -n 19 nice'));
    expect([text(stdout), facts.end]).toEqual([`${getPriority()}\n`, { kind: 'exited', code: 0 }]);
  });

  it('leaves no process and no control group, whatever the program started', async ({ skip }) => {
    if (!available) skip();
    const mark = `31${process.pid}`;
    const daemons = await run(
      shell(`(setsid sleep ${mark} &) ; setsid sh -c 'sleep ${mark} & sleep ${mark} &'; echo done`),
    );
    expect(text(daemons.stdout)).toBe('done\n');
    expect(processesWith(`sleep ${mark}`)).toEqual([]);
    expect(runGroups()).toEqual([]);
  });

  it('ends what runs when it is told to', async ({ skip }) => {
    if (!available) skip();
    const abort = new AbortController();
    const running = sandbox.run(shell('sleep 60'), defaultLimits, abort.signal);
    setTimeout(() => abort.abort(), 300);
    expect(await running).toMatchObject({ kind: 'ran', facts: { end: { kind: 'stopped', by: 'cancelled' } } });
  });

  it('shows nothing of the host', async ({ skip }) => {
    if (!available) skip();
    const { stdout } = await run(
      shell('echo /*; cat /proc/1/environ /proc/self/environ | tr "\\0" "\\n"; ls /proc/self/fd'),
    );
    const [entries, ...rest] = text(stdout).trim().split('\n');
    expect(entries).toBe('/bin /box /dev /lib /lib64 /proc /sbin /tmp /usr');
    // 3 is the folder that ls reads.
    expect(rest.slice(-4)).toEqual(['0', '1', '2', '3']);
    expect(rest.slice(0, -4).every((line) => /^(PATH|PWD|LANG|OLDPWD|_|SHLVL)=/.test(line))).toBe(true);
  });
});

describe('a bubblewrap that is slow to end', () => {
  it('adds no words to those of the program', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-slow-'));
    chmodSync(folder, 0o777);
    const slow = join(folder, 'bwrap');
    // The program's pipes are read to their end before its exit code is told.
    const script = 'bwrap "$@" 3>$0.status; exec <&- >&-; sleep 0.5; cat $0.status >&3; sleep 60';
    writeFileSync(slow, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const sandbox = new BubblewrapSandbox({ readOnlyFolders: [], bwrap: slow, firstUid: 66_000 });
    try {
      const harness = { input: new Uint8Array(), reportBytes: 100 };
      for (const command of [shell('echo words >&2; exit 3'), { ...shell('echo words >&2; exit 3'), harness }]) {
        const outcome = await sandbox.run(command, defaultLimits);
        if (outcome.kind !== 'ran') throw new Error(outcome.reason);
        expect([text(outcome.stderr), outcome.facts.end]).toEqual(['words\n', { kind: 'exited', code: 3 }]);
      }
    } finally {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a service that is killed', () => {
  it('takes its runs along', async () => {
    const mark = `32${process.pid}`;
    const script = `
      import { BubblewrapSandbox } from ${JSON.stringify(new URL('./bubblewrap-sandbox.ts', import.meta.url).href)};
      const command = { argv: ['/bin/sleep', '${mark}'], environment: {}, readOnlyFolders: [], hiddenFolders: [], files: [], stdin: new Uint8Array() };
      await new BubblewrapSandbox({ readOnlyFolders: [] }).run(command, ${JSON.stringify({ ...defaultLimits, wallTimeMs: 60_000 })});`;
    const service = spawn(
      process.execPath,
      [
        '--conditions=@tidemark/source',
        '--import',
        '@swc-node/register/esm-register',
        '--input-type=module',
        '-e',
        script,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    await expect.poll(() => processesWith(`sleep ${mark}`).length, { timeout: 20_000 }).toBeGreaterThan(0);
    service.kill('SIGKILL');
    await expect.poll(() => processesWith(`sleep ${mark}`), { timeout: 5_000 }).toEqual([]);
  });
});

function processesWith(command: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim().endsWith(command);
      } catch {
        return false;
      }
    });
}

function runGroups(): string[] {
  const base = `/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}`;
  if (!existsSync(base)) return [];
  return readdirSync(base, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
