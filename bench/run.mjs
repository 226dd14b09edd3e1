/**
 * `npm run bench [NAME…]`: measures each `bench/*.bench.ts`, or those named, one after the other, each in a process of
 * its own, and writes `bench/results/<name>.json`. Numbers are only ever compared within one run.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

const here = import.meta.dirname;
const all = globSync('*.bench.ts', { cwd: here }).sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(`${name}.bench.ts`));
if (unknown.length > 0) {
  process.stderr.write(
    `no bench named ${unknown.join(', ')}; there are ${all.map((file) => basename(file, '.bench.ts')).join(', ')}\n`,
  );
  process.exit(2);
}
const flags = ['--conditions=@tidemark/source', '--import', '@swc-node/register/esm-register'];
const failed = all
  .filter((file) => wanted.length === 0 || wanted.includes(basename(file, '.bench.ts')))
  .filter((file) => {
    const args = [...flags, join(here, 'measure-one.ts'), join(here, file)];
    // Services have decorators, which only this configuration allows.
    const env = { SWC_NODE_PROJECT: 'tsconfig.base.json', ...process.env };
    return spawnSync(process.execPath, args, { stdio: 'inherit', cwd: join(here, '..'), env }).status !== 0;
  });
if (failed.length > 0) process.stderr.write(`failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
