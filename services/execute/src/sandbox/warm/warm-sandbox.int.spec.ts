import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defaultLimits, type Limits } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kill } from '../accounting/tasks.ts';
import { PythonProfile } from '../../languages/python/python-profile.ts';
import { BubblewrapSandbox } from '../bubblewrap/bubblewrap-sandbox.ts';
import type { Sandbox } from '../sandbox.ts';
import { WarmSandbox } from './warm-sandbox.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const limits: Limits = { ...defaultLimits, cpuTimeMs: 4_000, wallTimeMs: 20_000 };

let python: PythonProfile;
let cold: BubblewrapSandbox;
let warm: WarmSandbox;
const complaints: string[] = [];
let available = true;

beforeAll(async () => {
  const found = await PythonProfile.detect();
  if (!found) throw new Error('this spec needs python3');
  python = found;
  const { readOnlyFolders } = python;
  cold = new BubblewrapSandbox({ readOnlyFolders, firstUid: 64_000 });
  warm = new WarmSandbox({ readOnlyFolders, firstUid: 65_000 }, [python.warm], (reason) => complaints.push(reason));
  expect(await cold.check()).toMatchObject({ ready: true });
  const report = await warm.check();
  available = report.ready && report.accounting !== 'rlimits';
  if (!available) console.warn('SKIPPED: no writable control groups here, so nothing waits');
  else expect(report).toMatchObject({ isolation: 'bubblewrap, a copy of a waiting interpreter a test' });
});
afterAll(async () => {
  await cold?.close();
  await warm?.close();
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith(`tidemark-warm-${process.pid}-`));
  expect(left).toEqual([]);
  expect(existsSync(`/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}`)).toBe(false);
});

async function run(sandbox: Sandbox, source: string, stdin = '', changed: Partial<Limits> = {}) {
  const command = { ...python.program(source), stdin: new TextEncoder().encode(stdin) };
  const outcome = await sandbox.run(command, { ...limits, ...changed });
  if (outcome.kind !== 'ran') throw new Error(outcome.reason);
  const { facts } = outcome;
  return { end: facts.end, memoryKill: facts.memoryKill, out: text(outcome.stdout), err: text(outcome.stderr), facts };
}

describe('a copy of a waiting interpreter', () => {
  it.each<[string, string, string?]>([
    ['ends well', 'print(sum(map(int, input().split())))', '1 2\n'],
    ['raises', 'x = {}\nprint("before")\nx["no"]'],
    ['does not compile', 'print('],
    ['has a byte of null in it', 'print(1)\0'],
    ['has a mark at its beginning', '\ufeffprint("é")'],
    ['leaves with a number', 'import sys\nprint(1)\nsys.exit(7)'],
    ['leaves with a large number', 'raise SystemExit(2**80 + 5)'],
    ['leaves with words', 'import sys\nsys.exit("words")'],
    ['leaves at once', 'import os\nprint("lost")\nos._exit(3)'],
    ['aborts', 'import os\nos.abort()'],
    ['ends itself', 'import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nprint("lives")'],
    ['interrupts itself', 'import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint("lives")'],
    ['crashes', 'import ctypes\nctypes.string_at(0)'],
    ['kills all that it may', 'import os\ntry:\n    os.kill(-1, 9)\nfinally:\n    print("still here")'],
    ['kills its group', 'import os\nos.kill(0, 9)'],
    ['kills process 1', 'import os\nos.kill(1, 9)\nos.kill(1, 2)\nos.kill(1, 15)\nprint("done")'],
    ['says its last words late', 'import atexit\natexit.register(print, "late")\nprint("early")'],
    [
      'finalizes what it made',
      'class A:\n    def __del__(self): print("gone", n)\nn = 5\na = A()\nb = [a]\nb.append(b)\nprint("end")',
    ],
    [
      'waits for threads',
      'import threading, time\nthreading.Thread(target=lambda: (time.sleep(.3), print("thread"))).start()\nprint("main")',
    ],
    [
      'leaves daemons behind',
      'import threading, time\nthreading.Thread(target=lambda: time.sleep(60), daemon=True).start()\nprint("main")',
    ],
    [
      'writes through buffers of its own',
      'import io, os\nw = open(1, "w", closefd=False)\nw.write("text ")\nb = io.BufferedWriter(io.FileIO(1, "w", closefd=False))\nb.write(b"bytes")',
    ],
    ['puts another standard output in place', 'import sys, io\nsys.stdout = io.StringIO()\nprint("nowhere")'],
    ['reads all at once', 'import sys\nprint(len(sys.stdin.read()))', 'x'.repeat(300_000)],
    [
      'reads by name',
      'print(len(open("/dev/stdin").read()))\nopen("/dev/stdout", "w").write("written")',
      'x'.repeat(90_000),
    ],
    ['reads lines of bytes', 'import sys\nfor line in sys.stdin.buffer: print(line)', 'a\nb\r\nc'],
    ['reads nothing of much', 'print("no need")', 'x'.repeat(900_000)],
    ['writes much', 'print("y" * 3_000_000)'],
    ['writes to both', 'import sys\nprint("o")\nprint("e", file=sys.stderr)'],
    ['closes its output', 'import os\nprint("x", flush=True)\nos.close(1)\nos.close(2)'],
    [
      'divides into processes',
      'import os\nif os.fork() == 0:\n    print("child")\nelse:\n    os.wait()\n    print("parent")',
    ],
    ['starts programs', 'import subprocess\nprint(subprocess.run(["/bin/echo", "hi"], capture_output=True).stdout)'],
    [
      'works in parallel',
      'import concurrent.futures as f\nwith f.ThreadPoolExecutor(3) as p: print(sum(p.map(abs, range(9))))',
    ],
    [
      'makes files',
      'open("a", "w").write("1")\nopen("/tmp/b", "w").write("2")\nopen("/dev/shm/c", "w").write("3")\nprint(open("a").read())',
    ],
    [
      'writes where it may not',
      'try: open("/judge/sol.py", "a")\nexcept OSError as e: print(e.errno)\ntry: open("/usr/x", "w")\nexcept OSError as e: print(e.errno)',
    ],
    [
      'looks at itself',
      'import sys, os\nprint(__name__, __file__, sys.argv, sys.path[0], os.getcwd(), os.getpid(), os.getppid(), open(__file__).read()[:9], sys.flags, dict(os.environ), sorted(globals()))',
    ],
    [
      'looks at its streams',
      'import sys\nfor s in (sys.stdin, sys.stdout, sys.stderr): print(s.encoding, s.errors, s.isatty(), s.line_buffering, s.seekable(), s.newlines, s.buffer.raw.name, type(s.buffer).__name__)',
    ],
    ['looks at its descriptors', 'import os\nprint(os.listdir("/proc/self/fd"))'],
    [
      'looks at its limits',
      'import resource as r\nprint([r.getrlimit(k) for k in (r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_MEMLOCK, r.RLIMIT_STACK, r.RLIMIT_CPU)])',
    ],
    [
      'looks at the file systems',
      'import os\nprint(sorted(n for n in os.listdir("/")), os.listdir("/judge"), os.listdir("/box"), os.listdir("/tmp"), os.listdir("/dev/shm"))\nprint([os.stat(p).st_mode for p in ("/box", "/tmp", "/dev/shm", "/judge/sol.py")], os.statvfs("/box").f_blocks)',
    ],
    ['looks at the processes', 'import os\nprint(sorted(n for n in os.listdir("/proc") if n.isdigit()))'],
    ['hashes text', 'print(hash("text"), {"a", "b", "c"})'],
    [
      'goes as deep as it may',
      'import sys\ndef f(n):\n    global deepest\n    deepest = n\n    f(n + 1)\ntry: f(1)\nexcept RecursionError: print(deepest)',
    ],
    [
      'goes far deeper',
      'import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(50_000))',
    ],
    ['prints long integers', 'print(len(str(10**9999)))'],
    [
      'uses modules that waited',
      'import collections, heapq, math, re, typing\nprint(collections.Counter("aab"), heapq.nsmallest(1, [2, 1]), math.gcd(4, 6), re.findall("a", "aa"))',
    ],
    ['imports what did not wait', 'import csv, uuid, zlib\nprint(zlib.crc32(b"x"))'],
    [
      'has no network',
      'import socket\ntry: socket.create_connection(("10.0.0.1", 80), 1)\nexcept OSError as e: print(e.errno)',
    ],
    [
      'makes more processes than it may',
      'import os, time\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(9)\nexcept OSError: print("no more")',
    ],
  ])('that %s ends as an interpreter of its own', async (_name, source, stdin) => {
    if (!available) return;
    const changed = { processes: 16 };
    const [own, copy] = [await run(cold, source, stdin, changed), await run(warm, source, stdin, changed)];
    expect({ out: copy.out, end: copy.end }).toEqual({ out: own.out, end: own.end });
    // Where a text is not Python, the words differ with the way it comes in.
    const last = (said: string) =>
      said
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^(SyntaxError): .*/, '$1');
    expect(last(copy.err)).toBe(last(own.err));
  });

  it('meets its limits of memory, processor, time and output', async () => {
    if (!available) return;
    const both = async (source: string, changed: Partial<Limits>) => {
      const [own, copy] = [await run(cold, source, '', changed), await run(warm, source, '', changed)];
      expect([copy.end, copy.memoryKill]).toEqual([own.end, own.memoryKill]);
      return copy;
    };
    expect((await both('x = bytearray(200_000_000)', { memoryBytes: 100 << 20 })).memoryKill).toBe('own_limit');
    await both('import os\nfor _ in range(3):\n    if os.fork() == 0: x = bytearray(60_000_000); input()\nos.wait()', {
      memoryBytes: 100 << 20,
    });
    await both('open("/tmp/a", "wb").write(bytes(60_000_000))\nopen("/box/a", "wb").write(bytes(60_000_000))', {
      memoryBytes: 100 << 20,
    });
    const fits = await both('x = bytearray(60_000_000)', { memoryBytes: 100 << 20 });
    expect(fits.facts.memoryPeakBytes).toBeGreaterThan(60_000_000);
    expect(fits.facts.memoryPeakBytes).toBeLessThan(80_000_000);
    const busy = await both('while True: pass', { cpuTimeMs: 300 });
    expect(busy.facts.cpuTimeMs).toBeGreaterThan(300);
    await both('import os\nos.fork()\nwhile True: pass', { cpuTimeMs: 300 });
    await both('import time\ntime.sleep(60)', { wallTimeMs: 500 });
    await both('while True: print("y" * 1000)', { outputBytes: 100_000 });
    // A second of a child that nobody waited for.
    const unseen = await run(
      warm,
      'import os, time\nr, w = os.pipe()\nif os.fork() == 0:\n    while time.process_time() < 1: pass\n    os._exit(0)\nos.close(w)\nos.read(r, 1)',
      '',
    );
    expect(unseen.facts.cpuTimeMs).toBeGreaterThan(900);
  }, 120_000);

  it('finds nothing of the copy before it, and can change nothing for the one after', async () => {
    if (!available) return;
    const secret = `secret${process.pid}`;
    const leaving = [
      'import os, sys, random, socket, ctypes',
      `secret = "${secret}" * 50`,
      'for place in ("/box/x", "/tmp/x", "/dev/shm/x"): open(place, "w").write(secret)',
      'libc = ctypes.CDLL(None)',
      'print(libc.shmget(4711, 4096, 0o1777), libc.msgget(4711, 0o1777), flush=True)',
      'sys.modules["math"].pi = 3',
      'random.seed(1)',
      'if os.fork() == 0:',
      '    os.setsid()',
      '    if os.fork() == 0:',
      '        import time',
      '        time.sleep(60)',
    ].join('\n');
    const looking = [
      'import os, math, random, ctypes, gc',
      'print([os.listdir(p) for p in ("/box", "/tmp", "/dev/shm")], math.pi)',
      'libc = ctypes.CDLL(None)',
      'print(libc.shmget(4711, 4096, 0), libc.msgget(4711, 0))',
      `needle = ("${secret.slice(0, 6)}" + "${secret.slice(6)}").encode() * 3`,
      'found = 0',
      'for line in open("/proc/self/maps"):',
      '    span, mode = line.split()[:2]',
      '    if "r" not in mode or "[v" in line: continue',
      '    start, end = (int(one, 16) for one in span.split("-"))',
      '    try:',
      '        with open("/proc/self/mem", "rb") as memory:',
      '            memory.seek(start)',
      '            found += needle in memory.read(end - start)',
      '    except OSError: pass',
      // The needle itself, once or twice.
      'print(found <= 2, random.random() == random.Random(1).random())',
    ].join('\n');
    for (let round = 0; round < 3; round++) {
      expect((await run(warm, leaving)).out).toMatch(/^\d+ \d+\n$/);
      const { out, err } = await run(warm, looking);
      expect([out, err]).toEqual([`[[], [], []] ${Math.PI}\n-1 -1\nTrue False\n`, '']);
    }
  }, 60_000);

  it.each([
    ['look into process 1', 'open("/proc/1/mem", "rb+")'],
    ['read the environment of process 1', 'open("/proc/1/environ").read(1)'],
    ['trace process 1', 'import ctypes\nif ctypes.CDLL(None).ptrace(16, 1, 0, 0) != 0: raise PermissionError'],
    [
      'mount',
      'import ctypes\nif ctypes.CDLL(None).mount(b"x", b"/tmp", b"tmpfs", 0, None) != 0: raise PermissionError',
    ],
    [
      'unmount what covers the pipes',
      'import ctypes\nif ctypes.CDLL(None).umount2(b"/judge", 2) != 0: raise PermissionError',
    ],
    ['make a namespace', 'import ctypes\nif ctypes.CDLL(None).unshare(0x10000000) != 0: raise PermissionError'],
    [
      'gain a capability',
      'import ctypes\nh = (ctypes.c_uint32 * 2)(0x20080522, 0)\nd = (ctypes.c_uint32 * 6)(1 << 21, 1 << 21)\nif ctypes.CDLL(None).capset(h, d) != 0: raise PermissionError',
    ],
    [
      "answer in the interpreter's place",
      'import os\nfor fd in range(3, 256):\n    try: os.write(fd, b"e 0 0\\n"); raise SystemExit(0)\n    except OSError: pass\nraise PermissionError',
    ],
    ['reach a pipe of its own by name', 'open("/judge/inbox/out", "w")'],
  ])('can not %s', async (_name, source) => {
    if (!available) return;
    const { end, err } = await run(warm, source);
    expect(end).toEqual({ kind: 'exited', code: 1 });
    expect(err.trim().split('\n').at(-1)).toMatch(/^(PermissionError|FileNotFoundError|NotADirectoryError)/);
  });

  it('has a fresh interpreter after it where it leaves a connection behind', async () => {
    if (!available) return;
    const connecting = [
      'import socket',
      's = socket.socket()',
      's.bind(("127.0.0.1", 18_321))',
      's.listen()',
      'c = socket.create_connection(("127.0.0.1", 18_321))',
      'a, _ = s.accept()',
      'a.close()',
      'c.close()',
      'print("connected")',
    ].join('\n');
    for (let round = 0; round < 3; round++) expect((await run(warm, connecting)).out).toBe('connected\n');
  });

  it('gives way to an interpreter of its own where none waits, and nobody complained so far', async () => {
    if (!available) return;
    expect(complaints).toEqual([]);
    const broken = { ...python.warm, argv: ['/bin/false'] as const };
    const { readOnlyFolders } = python;
    const sandbox = new WarmSandbox({ readOnlyFolders, firstUid: 66_000 }, [broken], (why) => complaints.push(why));
    try {
      const command = { ...python.program('print(1)'), stdin: new Uint8Array(), warm: broken };
      for (let round = 0; round < 2; round++) {
        const outcome = await sandbox.run(command, limits);
        expect(outcome.kind === 'ran' && text(outcome.stdout)).toBe('1\n');
      }
    } finally {
      await sandbox.close();
    }
    expect(complaints).toEqual(['the interpreter does not wait: it ended without a word']);
  });

  it('is had from a fresh interpreter where the one that waited was killed', async () => {
    if (!available) return;
    complaints.length = 0;
    const waiting = () => {
      const base = `/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}`;
      return existsSync(base) ? readdirSync(base).filter((name) => name.startsWith('slot-')) : [];
    };
    await run(warm, 'print(1)');
    const before = waiting();
    for (const name of before) {
      const pids = readFileSync(`/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}/${name}/cgroup.procs`, 'utf8');
      // The end of one may have taken the next already.
      for (const pid of pids.trim().split('\n')) kill(Number(pid));
    }
    expect((await run(warm, 'print(2)')).out).toBe('2\n');
    expect((await run(warm, 'print(3)')).out).toBe('3\n');
    expect(waiting().filter((name) => before.includes(name))).toEqual([]);
  });

  it('says nothing of a program that could not be made', async () => {
    if (!available) return;
    complaints.length = 0;
    const one = { ...python.program('print(1)'), stdin: new Uint8Array() };
    // Room for process 1 alone. What comes of it then is told by a run that has everything to itself.
    await warm.run(one, { ...limits, processes: 0 });
    expect(complaints.join()).toMatch(/BlockingIOError|Resource temporarily unavailable/);
    expect((await run(warm, 'print(2)')).out).toBe('2\n');
  });

  it('gets an input whole where its user may have small pipes only', async ({ skip }) => {
    if (!available || process.getuid?.() !== 0) return skip();
    // Pipes as large as the user may have in all, so that every further one is of a page or two.
    const holding = [
      'import fcntl, os, sys, time',
      'os.setuid(67_000)',
      'held = []',
      'try:',
      '    for _ in range(400):',
      '        held.append(os.pipe())',
      '        fcntl.fcntl(held[-1][1], 1031, 1 << 20)',
      'except OSError: pass',
      'try:',
      '    while fcntl.fcntl(os.pipe()[1], 1032) > 8192: held.append(os.pipe())',
      'except OSError: pass',
      'print(fcntl.fcntl(os.pipe()[1], 1032), flush=True)',
      'sys.stdin.read()',
    ].join('\n');
    const holder = spawn('python3', ['-c', holding]);
    const small = new WarmSandbox({ readOnlyFolders: python.readOnlyFolders, firstUid: 67_000 }, [python.warm], (why) =>
      complaints.push(why),
    );
    complaints.length = 0;
    try {
      const said = await new Promise<Buffer>((resolve) => holder.stdout.once('data', resolve));
      expect(Number(said.toString())).toBeLessThanOrEqual(8192);
      for (const length of [100, 5_000, 30_000, 70_000, 900_000]) {
        const { out } = await run(small, 'import sys\nprint(len(sys.stdin.read()))', 'x'.repeat(length));
        expect(out).toBe(`${length}\n`);
      }
      expect(complaints).toEqual([]);
    } finally {
      holder.kill('SIGKILL');
      await small.close();
    }
  }, 120_000);
});
