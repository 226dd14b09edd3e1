import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Compiler = {
  /** Where it really lies, below /usr: what a compilation sees. */
  readonly path: string;
  /** Its own word, and the standard in force: `g++ (Debian 12.2.0-14) 12.2.0, gnu++20`. */
  readonly version: string;
  /** The newest standard of those wanted that it knows. */
  readonly standard: string;
  readonly family: 'gcc' | 'clang';
};

/** The first of these programs that compiles and links a small source here. Undefined where none does. */
export async function detectCompiler(
  names: readonly string[],
  standards: readonly string[],
  probe: { readonly file: string; readonly source: string },
): Promise<Compiler | undefined> {
  for (const name of names) {
    const found = await tried(name, standards, probe).catch(() => undefined);
    if (found) return found;
  }
  return undefined;
}

async function tried(
  name: string,
  standards: readonly string[],
  probe: { readonly file: string; readonly source: string },
): Promise<Compiler | undefined> {
  const run = promisify(execFile);
  const where = name.startsWith('/')
    ? name
    : (await run('/bin/sh', ['-c', 'command -v "$1"', 'sh', name])).stdout.trim();
  const path = realpathSync(where);
  // A compilation sees /usr and nothing else of the machine.
  if (!path.startsWith('/usr/')) return undefined;
  const said = (await run(path, ['--version'], { timeout: 20_000 })).stdout.split('\n')[0]?.trim() ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-probe-'));
  try {
    const file = join(folder, probe.file);
    await writeFile(file, probe.source);
    for (const standard of standards) {
      const words = [`-std=${standard}`, file, '-o', join(folder, 'probe')];
      const compiles = await run(path, words, { timeout: 60_000 }).then(
        () => true,
        () => false,
      );
      if (!compiles) continue;
      const family = /clang/i.test(said) ? 'clang' : 'gcc';
      return { path, version: `${said}, ${standard}`, standard, family };
    }
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
