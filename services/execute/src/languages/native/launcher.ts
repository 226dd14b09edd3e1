import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxCommand } from '../../sandbox/sandbox.ts';
import { DRIVER_PATH, framed, type WarmInterpreter } from '../../sandbox/warm/warm-interpreter.ts';
import type { Compiler } from './detect-compiler.ts';
import { LAUNCHER_SOURCE } from './launcher-source.ts';

/** Where a compiled program lies inside. */
export const PROGRAM_PATH = '/judge/sol';

/** Says of a run's own surroundings what the check of a sandbox asks; any program that the kernel starts will do. */
const LOOK = [
  '#!/bin/sh',
  'cd /proc',
  'echo Processes: [0-9]*',
  'while read -r line; do echo "$line"; done </proc/self/status',
  'echo Entries: /*',
  'count=0',
  'while read -r line; do case $line in *:*) count=$((count+1));; esac; done </proc/net/dev',
  'echo Interfaces: $count',
  'echo Inbox: /judge/*',
].join('\n');

const encoder = new TextEncoder();

/** The launcher, compiled from our own source. Throws what the compiler said. */
export async function makeLauncher(compiler: Compiler): Promise<WarmInterpreter> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-launcher-'));
  try {
    const [source, binary] = [join(folder, 'launcher.c'), join(folder, 'launcher')];
    await writeFile(source, LAUNCHER_SOURCE);
    const compile = (...more: string[]) =>
      promisify(execFile)(compiler.path, ['-O2', '-w', ...more, source, '-o', binary], { timeout: 120_000 });
    // Not every system has the C library's archive; a static one starts faster.
    await compile('-static').catch(() => compile());
    return {
      argv: [DRIVER_PATH],
      environment: {},
      readOnlyFolders: [],
      hiddenFolders: [],
      driver: await readFile(binary),
      settings: ({ seccomp }) => seccomp,
      job: (command) => framed(jobOf(command)),
      look: { path: PROGRAM_PATH, content: encoder.encode(LOOK), executable: true },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A command as the launcher reads it. */
function jobOf({ argv, environment, files }: SandboxCommand): Uint8Array {
  const words = (list: readonly string[]) => [number(list.length), ...list.map((word) => framed(encoder.encode(word)))];
  return Buffer.concat([
    ...words(argv),
    ...words(Object.entries(environment).map(([name, value]) => `${name}=${value}`)),
    number(files.length),
    ...files.flatMap(({ path, content, executable }) => [
      framed(encoder.encode(path)),
      number(path.endsWith('/') ? 0o755 : executable ? 0o555 : 0o444),
      framed(content),
    ]),
  ]);
}

function number(value: number): Uint8Array {
  return encoder.encode(String(value).padStart(16, '0'));
}
