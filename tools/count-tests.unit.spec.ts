import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface File {
  readonly status: 'passed' | 'failed';
  readonly tests: readonly string[];
}

describe('count-tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-count-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Of a report as vitest's json reporter writes it. */
  function count(
    success: boolean,
    ...files: File[]
  ): { code: number | null; last: string | undefined; output: string } {
    const testResults = files.map(({ status, tests }, index) => ({
      name: join(process.cwd(), `file-${index}.spec.ts`),
      status,
      assertionResults: tests.map((test) => ({ status: test, fullName: `a ${test} test` })),
    }));
    const report = join(folder, 'report.json');
    writeFileSync(report, JSON.stringify({ success, testResults }));
    const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'count-tests.mjs'), report], {
      encoding: 'utf8',
    });
    return { code: status, last: stdout.trimEnd().split('\n').at(-1), output: stdout };
  }

  it('counts, and passes when all passed', () => {
    expect(count(true, { status: 'passed', tests: ['passed', 'passed', 'skipped'] })).toMatchObject({
      code: 0,
      last: '2 passed, 0 failed',
    });
  });

  it('names what was skipped', () => {
    expect(count(true, { status: 'passed', tests: ['passed', 'pending'] }).output).toContain('skipped: a pending test');
  });

  it('fails with a failed test', () => {
    expect(count(false, { status: 'failed', tests: ['passed', 'failed'] })).toMatchObject({
      code: 1,
      last: '1 passed, 1 failed',
    });
  });

  it('counts a file that could not be loaded, and a hook that threw, as failures', () => {
    const counted = count(false, { status: 'failed', tests: [] }, { status: 'failed', tests: ['passed', 'skipped'] });
    expect(counted).toMatchObject({ code: 1, last: '1 passed, 2 failed' });
    expect(counted.output).toContain('failed outside a test: file-0.spec.ts');
  });

  it('fails when the run failed otherwise, and when nothing ran', () => {
    expect(count(false, { status: 'passed', tests: ['passed'] }).code).toBe(1);
    expect(count(true).code).toBe(1);
  });

  it('invents no count without a report', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'count-tests.mjs'), join(folder, 'none.json')],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'no test was counted: vitest left no report\n' });
  });
});
