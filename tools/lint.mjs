/**
 * `npm run lint`: every gate of the repository, each run to its end, one table, non-zero when any failed.
 * `npm run lint -- layers format` runs only those named; `--root FOLDER` looks at another tree (the specs' planted ones).
 */
import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFormat } from './lint/format.mjs';
import { checkDeadCode } from './lint/dead-code.mjs';
import { checkEslint } from './lint/eslint.mjs';
import { checkLayers } from './lint/layers.mjs';
import { checkLockFile } from './lint/lock-file.mjs';
import { checkPins } from './lint/pins.mjs';
import { checkProjects } from './lint/projects.mjs';
import { checkProto } from './lint/proto.mjs';
import { checkTypes } from './lint/types.mjs';

/** A check gets the root and a way to run programs, and returns what is wrong, one text a fault; none is a pass. */
const CHECKS = {
  projects: checkProjects,
  layers: checkLayers,
  pins: checkPins,
  lock: checkLockFile,
  format: checkFormat,
  proto: checkProto,
  types: checkTypes,
  eslint: checkEslint,
  'dead-code': checkDeadCode,
};
/** The heavy ones fill a core each; more at once only wait for each other. */
const AT_ONCE = 2;

const { root, names } = readArguments(process.argv.slice(2));
const results = await runAll(names);
report(results);
process.exitCode = results.every(({ faults }) => faults.length === 0) ? 0 : 1;

function readArguments(args) {
  const own = resolve(dirname(fileURLToPath(import.meta.url)), '..');
  const at = args.indexOf('--root');
  const root = at < 0 ? own : resolve(args[at + 1] ?? '');
  const names = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const unknown = names.filter((name) => !(name in CHECKS));
  if (unknown.length > 0) {
    process.stderr.write(`lint: no check named ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}\n`);
    process.exit(2);
  }
  return { root, names: names.length > 0 ? names : Object.keys(CHECKS) };
}

async function runAll(names) {
  const results = [];
  const waiting = [...names];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) results.push(await runOne(name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return names.map((name) => results.find((result) => result.name === name));
}

async function runOne(name) {
  const began = performance.now();
  let faults;
  try {
    faults = await CHECKS[name]({ root, run: (program, args) => run(program, args) });
  } catch (error) {
    // A check that can't run has not passed.
    faults = [`the check itself failed: ${error instanceof Error ? error.message : String(error)}`];
  }
  return { name, faults, seconds: (performance.now() - began) / 1_000 };
}

/** Runs a program in the root with its output captured; never throws for a non-zero exit. */
function run(program, args) {
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, NX_DAEMON: 'false', FORCE_COLOR: '0', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', failed);
    child.once('close', (code) => done({ code, stdout, output: output.trim() }));
  });
}

function report(results) {
  for (const { name, faults } of results) {
    if (faults.length > 0) process.stdout.write(`\n── ${name} ${'─'.repeat(60)}\n${faults.join('\n')}\n`);
  }
  process.stdout.write('\n');
  for (const { name, faults, seconds } of results) {
    const verdict = faults.length === 0 ? 'ok' : 'FAILED';
    process.stdout.write(`${name.padEnd(12)}${verdict.padEnd(8)}${seconds.toFixed(1).padStart(6)} s\n`);
  }
}
