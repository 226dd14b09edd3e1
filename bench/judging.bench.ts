import { BubblewrapSandbox, Judge, PythonProfile, WarmSandbox } from '@tidemark/execute';
import { defaultLimits, type TestForm } from '@tidemark/judging';
import { type Bench, spreadOf } from './bench.ts';

const ROUNDS = 7;
const TESTS = 10;
/** What solutions commonly import, so that both ways have the same modules at hand. */
const SOURCE = `import bisect, collections, copy, datetime, decimal, fractions, functools, heapq, io, itertools, json, math
import operator, os, random, re, statistics, string, sys, typing
print(sum(map(int, input().split())))
`;
const utf8 = new TextEncoder();
const form: TestForm = {
  kind: 'stdin',
  checker: { kind: 'tokens' },
  tests: Array.from({ length: TESTS }, (_, at) => ({
    input: utf8.encode(`${at} 2\n`),
    expected: utf8.encode(`${at + 2}\n`),
  })),
};

/** What a copy of a waiting interpreter saves, under the same isolation and with the same imports. */
export const bench: Bench = {
  asks: `How much faster are ${TESTS} tests of a Python program by copies of a waiting interpreter than by one of its own each?`,
  async measure() {
    const python = await PythonProfile.detect();
    if (!python) throw new Error('python3 is needed');
    const { readOnlyFolders, warm } = python;
    const cold = new BubblewrapSandbox({ readOnlyFolders });
    const copying = new WarmSandbox({ readOnlyFolders, firstUid: 65_000 }, [warm], (reason) => {
      throw new Error(`not by a copy: ${reason}`);
    });
    for (const sandbox of [cold, copying]) {
      const report = await sandbox.check();
      if (!report.ready) throw new Error(report.reason);
    }
    const judges = { own: new Judge(cold, [python]), copy: new Judge(copying, [python]) };
    const once = async (judge: Judge) => {
      const result = await judge.judge({ language: 'python', source: SOURCE }, form, defaultLimits);
      if (result.verdict !== 'accepted') throw new Error(`${result.verdict}: ${result.detail}`);
      return result.cpuTimeMs / TESTS;
    };
    try {
      const values: Record<string, ReturnType<typeof spreadOf>> = {};
      for (const workers of [1, 2]) {
        const perSecond = { own: [] as number[], copy: [] as number[] };
        const cpuMs = { own: [] as number[], copy: [] as number[] };
        // Taking turns, so that a busy neighbour slows both.
        for (let round = 0; round <= ROUNDS; round++) {
          for (const way of ['own', 'copy'] as const) {
            const started = performance.now();
            const cpu = await Promise.all(Array.from({ length: workers }, () => once(judges[way])));
            // The first round starts the interpreters that wait.
            if (round === 0) continue;
            perSecond[way].push((workers * TESTS * 1_000) / (performance.now() - started));
            cpuMs[way].push(Math.max(...cpu));
          }
        }
        const name = workers === 1 ? 'OneAtATime' : 'TwoAtATime';
        values[`ratio${name}`] = spreadOf(perSecond.copy.map((copy, at) => copy / (perSecond.own[at] ?? copy)));
        values[`copyTestsPerSecond${name}`] = spreadOf(perSecond.copy);
        values[`ownTestsPerSecond${name}`] = spreadOf(perSecond.own);
        values[`copyCpuMsPerTest${name}`] = spreadOf(cpuMs.copy);
        values[`ownCpuMsPerTest${name}`] = spreadOf(cpuMs.own);
      }
      return values;
    } finally {
      await cold.close();
      await copying.close();
    }
  },
};
