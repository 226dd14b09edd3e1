import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits, type TestForm } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectLanguages } from '../languages/detect-languages.ts';
import type { LanguageProfile } from '../languages/language-profile.ts';
import { NativeProfile } from '../languages/native/native-profile.ts';
import type { Sandbox, SandboxCommand } from '../sandbox/sandbox.ts';
import { WAYS } from '../testing/sandboxes.ts';
import { BuildCache } from './build-cache.ts';
import { Judge, type Submission } from './judge.ts';

const utf8 = new TextEncoder();
const folder = mkdtempSync(join(tmpdir(), 'tidemark-native-'));
const languages = (await detectLanguages({ folder })).filter((one) => one instanceof NativeProfile);
const cpp = languages.find(({ language }) => language === 'cpp');
if (!cpp) console.warn('SKIPPED: no C++ compiler here');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SUM = '#include <bits/stdc++.h>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; }\n';
const formOf = (...tests: [string, string][]): TestForm => ({
  kind: 'stdin',
  checker: { kind: 'tokens' },
  tests: tests.map(([input, expected]) => ({ input: utf8.encode(input), expected: utf8.encode(expected) })),
});
const sums = formOf(['1 2', '3'], ['40 2', '42']);

describe.skipIf(!cpp).each(WAYS)('a compiled program by %s', (_way, sandboxOf) => {
  let sandbox: Sandbox;
  let judge: Judge;
  beforeAll(() => {
    sandbox = sandboxOf(...languages);
    judge = new Judge(sandbox, languages, new BuildCache(join(folder, 'programs'), 1e9));
  });
  afterAll(() => sandbox?.close());

  const verdictOf = async (source: string, form: TestForm = formOf(['', 'yes']), changed = {}) =>
    (await judge.judge({ language: 'cpp', source }, form, { ...defaultLimits, ...changed })).verdict;

  it('is judged, in C and in C++, of one file and of several', async () => {
    const programs: Submission[] = [
      { language: 'cpp', source: SUM },
      {
        language: 'c',
        source:
          '#include <stdio.h>\n#include <math.h>\nint main(void){int a,b;scanf("%d%d",&a,&b);printf("%d\\n",(int)floor(a+b+.5));}',
      },
      {
        language: 'cpp',
        source:
          '#include "sums/sum.h"\n#include <cstdio>\nint main(){int a,b;scanf("%d%d",&a,&b);printf("%d",sum(a,b));}',
        files: {
          'sums/sum.h': 'int sum(int, int);',
          'sums/sum.cpp': '#include "sum.h"\nint sum(int a, int b) { return a + b; }',
        },
      },
    ];
    for (const program of programs) {
      expect(await judge.judge(program, sums, defaultLimits)).toMatchObject({ verdict: 'accepted', testsPassed: 2 });
    }
  }, 120_000);

  it.each<[string, string]>([
    ['wrong_answer', 'int main() {}'],
    ['runtime_error', 'int main() { return 3; }'],
    ['runtime_error', 'int main() { *(volatile int *)0 = 1; }'],
    ['runtime_error', '#include <cstdlib>\nint main() { std::abort(); }'],
    ['runtime_error', '#include <stdexcept>\nint main() { throw std::runtime_error("x"); }'],
    ['time_limit', 'int main() { for (volatile int i = 0;; i++); }'],
    [
      'memory_limit',
      '#include <cstring>\n#include <cstdlib>\nint main() { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }',
    ],
    [
      'output_limit',
      '#include <cstdio>\nint main() { for (;;) puts("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"); }',
    ],
    ['compile_error', 'int main() { return x; }'],
    ['compile_error', '#include "/judge/sol.cpp"\nint main() {}'],
    ['compile_error', '#include "/dev/stdin"\nint main('],
    ['compile_error', 'int main() { return f(); } int f();'],
    ['wrong_form', 'class Solution { public: int f() { return 1; } };'],
    [
      'accepted',
      '#include <cstdio>\n#include <unistd.h>\nint main() { puts(getpid() == 2 || getpid() > 2 ? "yes" : "no"); }',
    ],
  ])(
    'gets %s for %s',
    async (verdict, source) => {
      expect(await verdictOf(source, undefined, { cpuTimeMs: 1_000 })).toBe(verdict);
    },
    60_000,
  );

  it('finds nothing that an earlier test left', async () => {
    const source = [
      '#include <cstdio>',
      '#include <initializer_list>',
      '#include <fcntl.h>',
      '#include <sys/shm.h>',
      '#include <unistd.h>',
      'int main() {',
      '  int left = 0;',
      '  for (const char *p : {"/tmp/x", "/box/x", "/dev/shm/x"}) { left += !access(p, F_OK); close(open(p, O_CREAT | O_WRONLY, 0666)); }',
      '  left += shmget(4711, 4096, 0) >= 0; shmget(4711, 4096, 01777 | IPC_CREAT);',
      '  if (fork() == 0) { setsid(); if (fork() == 0) { close(1); for (;;) pause(); } return 0; }',
      '  puts(left ? "no" : "yes");',
      '}',
    ].join('\n');
    expect(await verdictOf(source, formOf(['', 'yes'], ['', 'yes'], ['', 'yes']))).toBe('accepted');
  }, 60_000);

  it('has an error text without what its own sources would not tell', async () => {
    const result = await judge.judge(
      { language: 'cpp', source: '#include "/etc/passwd"\nint main(){}' },
      sums,
      defaultLimits,
    );
    expect(result.verdict).toBe('compile_error');
    expect(result.detail).toMatch(/^sol\.cpp:1:\d+: fatal error: \/etc\/passwd: No such file/);
  }, 60_000);
});

describe.skipIf(!cpp)('compilations', () => {
  const [, sandboxOf] = WAYS[0] as (typeof WAYS)[number];
  let sandbox: Sandbox;
  const commands: SandboxCommand[] = [];
  beforeAll(() => {
    const own = sandboxOf(...languages);
    sandbox = new Proxy(own, {
      get: (target, name) =>
        name === 'run'
          ? (...words: Parameters<Sandbox['run']>) => {
              commands.push(words[0]);
              return target.run(...words);
            }
          : Reflect.get(target, name),
    });
  });
  afterAll(() => sandbox?.close());
  const compilations = () => commands.filter(({ harness }) => harness).length;

  it('happen once for a source, however many ask at once and whichever service does', async () => {
    commands.length = 0;
    const cached = () => new BuildCache(join(folder, 'once'), 1e9);
    const judge = new Judge(sandbox, languages, cached());
    const one = { language: 'cpp', source: `${SUM}// once` };
    await Promise.all([1, 2, 3].map(() => judge.judge(one, sums, defaultLimits)));
    await judge.judge(one, sums, defaultLimits);
    await new Judge(sandbox, languages, cached()).judge(one, sums, defaultLimits);
    expect(compilations()).toBe(1);
    await judge.judge({ ...one, files: { 'other.h': '' } }, sums, defaultLimits);
    expect(compilations()).toBe(2);
  }, 120_000);

  it('by a compiler that works no more say nothing of a program', async () => {
    const broken = new Proxy(cpp as LanguageProfile, {
      get: (target, name) =>
        name === 'build'
          ? async (...words: Parameters<NonNullable<LanguageProfile['build']>>) => {
              const build = await (target as NativeProfile).build(...words);
              const script = "echo 'sol.cpp:1:10: fatal error: bits/stdc++.h: No such file or directory' >&2; exit 1";
              return { ...build, prepared: { ...build.prepared, argv: ['/bin/sh', '-c', script] } };
            }
          : Reflect.get(target, name),
    });
    const judge = new Judge(sandbox, [broken]);
    const result = await judge.judge({ language: 'cpp', source: SUM }, sums, defaultLimits);
    expect(result.verdict).toBe('sandbox_failure');
    expect(await judge.passesKnownGood('cpp')).toBe(false);
  }, 60_000);

  it('use a header made beforehand, with the same answers, and know which sources bear it', async () => {
    const judge = new Judge(sandbox, languages);
    const profile = cpp as NativeProfile;
    await profile.build({ source: SUM });
    await profile.headersSettled();
    commands.length = 0;
    expect((await judge.judge({ language: 'cpp', source: SUM }, sums, defaultLimits)).verdict).toBe('accepted');
    const used = commands.filter(({ mounts }) => mounts);
    expect(used).toHaveLength(1);
    // A name of the common header that a source without it may have for itself.
    const own = '#include <cstdio>\nint y1 = 42; int count() { return y1; }\nint main() { printf("%d", count()); }';
    const forgotten = '#include <cstdio>\nint main() { std::vector<int> v; }';
    const form = formOf(['', '42']);
    expect((await judge.judge({ language: 'cpp', source: own }, form, defaultLimits)).verdict).toBe('accepted');
    expect((await judge.judge({ language: 'cpp', source: forgotten }, form, defaultLimits)).verdict).toBe(
      'compile_error',
    );
  }, 300_000);
});
