import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectLanguages } from '../languages/detect-languages.ts';
import { type CaseJudge, openCaseJudge } from '../testing/cases/case-judge.ts';
import { readBank } from '../testing/cases/read-bank.ts';
import { runCase } from '../testing/cases/run-case.ts';
import { WAYS } from '../testing/sandboxes.ts';

const banks = ['judging.jsonl', 'hostile.jsonl'].map((file) => [file, readBank(file)] as const);
const absent = banks.some(([, cases]) => cases === undefined);
if (absent) console.warn('SKIPPED: the case banks are not here (../shared/cases, or TIDEMARK_SHARED)');

describe.skipIf(absent).each(WAYS)('the written case banks by %s', (_way, sandboxOf) => {
  let judge: CaseJudge;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-cases-'));
    const languages = await detectLanguages({ folder });
    judge = await openCaseJudge(sandboxOf(...languages), languages);
  });
  afterAll(async () => {
    await judge?.close();
    rmSync(folder, { recursive: true, force: true });
    expect(groupsLeft()).toEqual([]);
  });

  for (const [file, cases] of banks) {
    describe(file, () => {
      it.each((cases ?? []).map((bank) => [bank.id, bank.why, bank] as const))(
        '%s: %s',
        async (_id, _why, bank) => {
          const outcome = await runCase(bank, judge);
          if (outcome.outcome === 'waits') return console.warn(`${bank.id} waits: ${outcome.details.join()}`);
          expect(outcome.details).toEqual([]);
          // Nobody looks at a condition that nothing here knows.
          expect(outcome.conditions.filter(({ holds }) => holds === undefined)).toEqual([]);
        },
        300_000,
      );
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
