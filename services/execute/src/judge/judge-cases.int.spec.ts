import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PythonProfile } from '../languages/python/python-profile.ts';
import { type CaseJudge, openCaseJudge } from '../testing/cases/case-judge.ts';
import { readBank } from '../testing/cases/read-bank.ts';
import { runCase } from '../testing/cases/run-case.ts';
import { WAYS } from '../testing/sandboxes.ts';

const banks = ['judging.jsonl', 'hostile.jsonl'].map((file) => [file, readBank(file)] as const);
const absent = banks.some(([, cases]) => cases === undefined);
if (absent) console.warn('SKIPPED: the case banks are not here (../shared/cases, or TIDEMARK_SHARED)');

describe.skipIf(absent).each(WAYS)('the written case banks by %s', (_way, sandboxOf) => {
  let judge: CaseJudge;
  beforeAll(async () => {
    const python = await PythonProfile.detect();
    if (!python) throw new Error('these cases need python3');
    judge = await openCaseJudge(sandboxOf(python), [python]);
  });
  afterAll(async () => {
    await judge?.close();
    expect(groupsLeft()).toEqual([]);
  });

  for (const [file, cases] of banks) {
    const python = (cases ?? []).filter(({ language }) => language === 'python');
    const waiting = (cases ?? []).filter(({ language }) => language !== 'python').map(({ id }) => id);
    if (waiting.length > 0) console.warn(`${file}: waiting for a language profile: ${waiting.join(' ')}`);
    describe(file, () => {
      it.each(python.map((bank) => [bank.id, bank.why, bank] as const))('%s: %s', async (_id, _why, bank) => {
        const outcome = await runCase(bank, judge);
        expect(outcome.details).toEqual([]);
        // Nobody looks at a condition that nothing here knows.
        expect(outcome.conditions.filter(({ holds }) => holds === undefined)).toEqual([]);
      });
    });
  }
});

/** Control groups of this process that outlived their run, on machines with cgroup v1. */
function groupsLeft(): string[] {
  const base = `/sys/fs/cgroup/pids/tidemark-sandbox-${process.pid}`;
  return existsSync(base)
    ? readdirSync(base, { withFileTypes: true })
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
    : [];
}
