import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BubblewrapSandbox, detectLanguages, type LanguageProfile, type Sandbox, WarmSandbox } from '@tidemark/execute';
import { defaultLimits } from '@tidemark/judging';
import { type Bench, spreadOf } from './bench.ts';

const ROUNDS = 5;
const TESTS = 40;
const SUM =
  '#include <bits/stdc++.h>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b << "\\n"; }\n';
/** Burns processor time and says how much of it the kernel counted for it. */
const BURN = [
  '#include <cstdio>',
  '#include <sys/resource.h>',
  'static double used() { rusage u; getrusage(RUSAGE_SELF, &u); return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3; }',
  'int main() { volatile unsigned x = 0; while (used() < 1000) for (int i = 0; i < 100000; i++) x += i; printf("%.3f", used()); }',
].join('\n');

/** What a header made beforehand and a waiting launcher save, and how true the measured time is. */
export const bench: Bench = {
  asks: 'How much processor time do compilations and tests of C++ take with a precompiled header and a waiting launcher, and without?',
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-native-'));
    const plain = cppOf(await detectLanguages());
    const prepared = cppOf(await detectLanguages({ folder }));
    const readOnlyFolders = prepared.readOnlyFolders;
    const cold = new BubblewrapSandbox({ readOnlyFolders });
    const warm = new WarmSandbox(
      { readOnlyFolders, firstUid: 65_000 },
      prepared.warm ? [prepared.warm] : [],
      (reason) => {
        throw new Error(`not by the launcher: ${reason}`);
      },
    );
    try {
      for (const sandbox of [cold, warm]) {
        const report = await sandbox.check();
        if (!report.ready) throw new Error(report.reason);
      }
      return {
        ...(await compilations(cold, plain, prepared)),
        ...(await tests(cold, warm, prepared)),
        ...(await timeUnderLoad(warm, prepared)),
      };
    } finally {
      await cold.close();
      await warm.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function cppOf(languages: readonly LanguageProfile[]): LanguageProfile {
  const cpp = languages.find(({ language }) => language === 'cpp');
  if (!cpp) throw new Error('a C++ compiler is needed');
  return cpp;
}

async function compiled(sandbox: Sandbox, profile: LanguageProfile, source: string) {
  const build = await profile.build?.({ source });
  if (!build) throw new Error('nothing to compile');
  const started = performance.now();
  const outcome = await sandbox.run({ ...build.prepared, stdin: new Uint8Array() }, build.limits);
  if (outcome.kind !== 'ran' || outcome.report.length === 0)
    throw new Error(`does not compile: ${source.slice(0, 60)}`);
  return { cpuMs: outcome.facts.cpuTimeMs, wallMs: performance.now() - started, binary: outcome.report };
}

async function compilations(sandbox: Sandbox, plain: LanguageProfile, prepared: LanguageProfile) {
  const sources = [SUM, ...contestSources()];
  // The header is made beside the first that asks for it.
  await compiled(sandbox, prepared, SUM);
  const deadline = performance.now() + 300_000;
  while (!(await prepared.build?.({ source: SUM }))?.prepared.mounts) {
    if (performance.now() > deadline) throw new Error('no precompiled header came');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const cpu = { plain: [] as number[], prepared: [] as number[] };
  const wall: number[] = [];
  for (const source of sources) {
    const [one, other] = [await compiled(sandbox, plain, source), await compiled(sandbox, prepared, source)];
    cpu.plain.push(one.cpuMs);
    cpu.prepared.push(other.cpuMs);
    wall.push(one.wallMs / other.wallMs);
  }
  return {
    sources: sources.length,
    compileRatioCpu: spreadOf(cpu.plain.map((ms, at) => ms / (cpu.prepared[at] ?? ms))),
    compileRatioWall: spreadOf(wall),
    compilePlainCpuMs: spreadOf(cpu.plain),
    compilePreparedCpuMs: spreadOf(cpu.prepared),
  };
}

/** Right programs of contest packages, where `TIDEMARK_BENCH_PACKAGES` names their folder. */
function contestSources(): string[] {
  const folder = process.env.TIDEMARK_BENCH_PACKAGES;
  if (folder === undefined) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /submissions\/accepted\/[^/]+\.(cpp|cc)$/.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

async function tests(cold: Sandbox, warm: Sandbox, profile: LanguageProfile) {
  const { binary } = await compiled(cold, profile, SUM);
  const stdin = new TextEncoder().encode('20 22\n');
  const perSecond = { own: [] as number[], launched: [] as number[] };
  const cpuMs = { own: [] as number[], launched: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [way, sandbox] of [
      ['own', cold],
      ['launched', warm],
    ] as const) {
      const started = performance.now();
      let used = 0;
      for (let test = 0; test < TESTS; test++) {
        const outcome = await sandbox.run({ ...profile.program(SUM, binary), stdin }, defaultLimits);
        if (outcome.kind !== 'ran' || new TextDecoder().decode(outcome.stdout) !== '42\n') throw new Error('not 42');
        used += outcome.facts.cpuTimeMs;
      }
      if (round === 0) continue;
      perSecond[way].push((TESTS * 1_000) / (performance.now() - started));
      cpuMs[way].push(used / TESTS);
    }
  }
  return {
    testsRatio: spreadOf(perSecond.launched.map((many, at) => many / (perSecond.own[at] ?? many))),
    launchedTestsPerSecond: spreadOf(perSecond.launched),
    ownTestsPerSecond: spreadOf(perSecond.own),
    launchedCpuMsPerTest: spreadOf(cpuMs.launched),
    ownCpuMsPerTest: spreadOf(cpuMs.own),
  };
}

async function timeUnderLoad(sandbox: Sandbox, profile: LanguageProfile) {
  const { binary } = await compiled(sandbox, profile, BURN);
  const busy = Array.from({ length: 2 }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const errors: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const outcome = await sandbox.run({ ...profile.program(BURN, binary), stdin: new Uint8Array() }, defaultLimits);
      if (outcome.kind !== 'ran') throw new Error(outcome.reason);
      const own = Number(new TextDecoder().decode(outcome.stdout));
      errors.push((100 * Math.abs(outcome.facts.cpuTimeMs - own)) / own);
    }
  } finally {
    for (const child of busy) child.kill('SIGKILL');
  }
  return { cpuTimeErrorPercent: spreadOf(errors) };
}
