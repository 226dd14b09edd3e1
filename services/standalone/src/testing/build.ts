import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds what the proofs run. Two spec files may ask at once, and two compilers must not write the same files. */
export function build(root: string): void {
  const lock = join(root, 'node_modules/.tidemark-build.lock');
  execFileSync('flock', [lock, 'npx', 'tsc', '-b'], { cwd: root, stdio: 'inherit' });
}
