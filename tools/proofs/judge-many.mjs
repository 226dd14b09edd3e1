/**
 * Judges many short programs in one process and looks for what they leave:
 *
 *   node tools/proofs/judge-many.mjs [--runs 200000] [--workers 2]      (needs a build)
 *
 * One program in ten misbehaves: leaves processes, files, shared memory or open connections, or is killed for memory.
 * Prints memory, descriptors, children, control groups and folders of this process in ten steps. Ends with code 1 when a
 * verdict is not the expected one, or when anything is left at the end.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { Judge, PythonProfile, WarmSandbox } from '@tidemark/execute';
import { defaultLimits } from '@tidemark/judging';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200000' }, workers: { type: 'string', default: '2' } },
});
const runs = Number(values.runs);

const python = await PythonProfile.detect();
if (!python) throw new Error('python3 is needed');
const { readOnlyFolders, warm } = python;
let complaints = 0;
const sandbox = new WarmSandbox({ readOnlyFolders }, [warm], (reason) => {
  if (complaints++ < 10) console.log(`not by a copy: ${reason}`);
});
console.log(JSON.stringify(await sandbox.check()));
const judge = new Judge(sandbox, [python]);

const add = 'a, b = map(int, input().split())\nprint(a + b)\n';
const daemon = 'import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(100)\n    os._exit(0)\n';
const kinds = [
  [`${daemon}${add}`, 'accepted'],
  [`open("/tmp/x", "w").write("x" * 100000)\nopen("/dev/shm/y", "w").write("y")\n${add}`, 'accepted'],
  [`import ctypes\nctypes.CDLL(None).shmget(1, 4096, 0o1777)\n${add}`, 'accepted'],
  [`import socket\ns = socket.socket()\ns.bind(("127.0.0.1", 9999))\ns.listen()\n${add}`, 'accepted'],
  ['x = bytearray(400_000_000)\nprint(len(x))', 'memory_limit'],
  ['print(1 / 0)', 'runtime_error'],
  ['print("no")', 'wrong_answer'],
  ['import os\nos.kill(1, 9)\nos.kill(-1, 9)\nprint(0)', 'runtime_error'],
];
const form = {
  kind: 'stdin',
  checker: { kind: 'tokens' },
  tests: [{ input: new TextEncoder().encode('20 22\n'), expected: new TextEncoder().encode('42\n') }],
};

const started = performance.now();
let next = 0;
let wrong = 0;
const work = async () => {
  for (let at = next++; at < runs; at = next++) {
    const [source, verdict] = at % 10 === 9 ? kinds[Math.floor(at / 10) % kinds.length] : [add, 'accepted'];
    const result = await judge.judge({ language: 'python', source }, form, defaultLimits);
    if (result.verdict !== verdict && wrong++ < 10)
      console.log(`run ${at}: ${verdict} wanted, ${result.verdict}: ${result.detail}`);
    if ((at + 1) % Math.ceil(runs / 10) === 0) look(at + 1);
  }
};
await Promise.all(Array.from({ length: Number(values.workers) }, work));
const seconds = (performance.now() - started) / 1000;
await sandbox.close();
const left = look(runs);
console.log(
  `${runs} runs in ${seconds.toFixed(0)} s (${(runs / seconds).toFixed(1)}/s), ${wrong} other verdicts, ${complaints} not by a copy, left: ${left}`,
);
process.exit(wrong > 0 || left > 0 ? 1 : 0);

/** Prints what there is now. @returns how much of it belongs to runs */
function look(after) {
  const status = readFileSync('/proc/self/status', 'utf8');
  const resident = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean).length;
  const base = `/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}`;
  const groups = existsSync(base)
    ? readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length
    : 0;
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(`tidemark-warm-${process.pid}-`)).length;
  const descriptors = readdirSync('/proc/self/fd').length;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length;
  // By the users that runs have; the others are somebody else's.
  const segments = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n').slice(1);
  const shared = segments.filter((line) => Number(line.trim().split(/\s+/)[7]) >= 64_000).length;
  console.log(JSON.stringify({ after, resident, descriptors, children, groups, folders, mounts, shared }));
  return children + groups + folders + shared;
}
