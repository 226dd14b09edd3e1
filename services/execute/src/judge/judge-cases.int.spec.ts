import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { Verdict } from '@tidemark/judging';
import { defaultLimits } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PythonProfile } from '../languages/python/python-profile.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type BankCase, formOf, limitsOf, readBank, SHORT } from '../testing/case-bank.ts';
import { WAYS } from '../testing/sandboxes.ts';
import { Judge } from './judge.ts';

const banks = ['judging.jsonl', 'hostile.jsonl'].map((file) => [file, readBank(file)] as const);
const absent = banks.some(([, cases]) => cases === undefined);
if (absent) console.warn('SKIPPED: the case banks are not here (../shared/cases, or TIDEMARK_SHARED)');

describe.skipIf(absent).each(WAYS)('the written case banks by %s', (_way, sandboxOf) => {
  let sandbox: Sandbox;
  let judge: Judge;
  const listeners: Server[] = [];
  process.env.TIDEMARK_CANARY = 'canary-secret';

  beforeAll(async () => {
    const python = await PythonProfile.detect();
    if (!python) throw new Error('these cases need python3');
    sandbox = sandboxOf(python);
    const report = await sandbox.check();
    if (!report.ready) throw new Error(report.reason);
    judge = new Judge(sandbox, [python]);
    evaluate = async (expression) => {
      const prepared = python.program(`import sys\nsys.stdout.write(${expression})\n`);
      const room = { ...defaultLimits, cpuTimeMs: 20_000, wallTimeMs: 60_000, outputBytes: 64 << 20 };
      const outcome = await sandbox.run({ ...prepared, stdin: new Uint8Array() }, room);
      if (outcome.kind !== 'ran') throw new Error(outcome.reason);
      return outcome.stdout;
    };
    // Doors outside that must not be seen from inside.
    listeners.push(createServer().listen(18_999, '127.0.0.1'), createServer().listen('\0canary-abstract'));
    for (const listener of listeners) listener.on('error', () => undefined);
  });

  afterAll(async () => {
    for (const listener of listeners) listener.close();
    await sandbox?.close();
    expect(groupsLeft()).toEqual([]);
  });

  let evaluate: (expression: string) => Promise<Uint8Array>;

  for (const [file, cases] of banks) {
    const python = (cases ?? []).filter(({ language }) => language === 'python');
    const waiting = (cases ?? []).filter(({ language }) => language !== 'python').map(({ id }) => id);
    if (waiting.length > 0) console.warn(`${file}: waiting for a language profile: ${waiting.join(' ')}`);
    describe(file, () => {
      it.each(python.map((bank) => [bank.id, bank.why, bank] as const))('%s: %s', async (_id, _why, bank) => {
        const started = performance.now();
        const [result] = await judged(bank);
        expect(bank.accept ?? [bank.verdict], result?.detail).toContain(shortOf(result?.verdict));
        if (bank.max_wall) expect((performance.now() - started) / bank.tests.length).toBeLessThan(bank.max_wall * 1000);
        expect(existsSync('/tmp/pwned_canary')).toBe(false);
        expect(JSON.stringify(result)).not.toContain('canary-secret');
      });
    });
  }

  async function judged(bank: BankCase) {
    const form = await formOf(bank, (expression) => evaluate(expression));
    const once = () => judge.judge({ language: 'python', source: bank.program }, form, limitsOf(bank));
    return Promise.all(Array.from({ length: bank.parallel ?? 1 }, once));
  }
});

function shortOf(verdict: Verdict | undefined): string {
  return verdict === undefined ? 'none' : (SHORT[verdict] ?? verdict);
}

/** Control groups of this process that outlived their run, on machines with cgroup v1. */
function groupsLeft(): string[] {
  const base = `/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}`;
  return existsSync(base)
    ? readdirSync(base, { withFileTypes: true })
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
    : [];
}
