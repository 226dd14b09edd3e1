import { defaultLimits, type TestForm } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PythonProfile } from '../languages/python/python-profile.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WAYS } from '../testing/sandboxes.ts';
import { Judge } from './judge.ts';

const utf8 = new TextEncoder();

describe.each(WAYS)("a problem's own checker by %s", (_way, sandboxOf) => {
  let sandbox: Sandbox;
  let judge: Judge;
  beforeAll(async () => {
    const python = await PythonProfile.detect();
    if (!python) throw new Error('this spec needs python3');
    sandbox = sandboxOf(python);
    judge = new Judge(sandbox, [python]);
  });
  afterAll(() => sandbox?.close());

  const judged = (program: string, checker: string, proven = false) => {
    const tests = [{ input: utf8.encode('5\n'), expected: utf8.encode('4711\n') }];
    const form: TestForm = { kind: 'stdin', tests, checker: { kind: 'program', language: 'python', source: checker } };
    return judge.judge({ language: 'python', source: program }, form, defaultLimits, { proven });
  };
  const numeric = 'def check(stdin, out, expected):\n    return int(out) == int(expected)';
  const telling = 'def check(stdin, out, expected):\n    raise ValueError("wanted " + expected)';
  const endless =
    'def check(stdin, out, expected):\n    while "x" in out: pass\n    if "y" in out: raise SystemExit\n    return True';

  it('decides', async () => {
    expect((await judged('print(4711)', numeric)).verdict).toBe('accepted');
    expect((await judged('print(4712)', numeric)).verdict).toBe('wrong_answer');
  });

  it('that breaks on an output, and works on the expected one, makes it a wrong answer', async () => {
    for (const proven of [false, true]) {
      const result = await judged('print("many words")', numeric, proven);
      expect(result).toMatchObject({ verdict: 'wrong_answer', testsRun: 1 });
      expect(result.detail).toBe('the checker can\'t read "many words\n"');
    }
    expect((await judged('print("y")', endless)).verdict).toBe('wrong_answer');
  });

  it('that breaks on the expected output too has failed, and its words stay with those who may see tests', async () => {
    const failed = await judged('print(1)', telling);
    expect(failed).toMatchObject({ verdict: 'checker_failure', detail: 'the checker failed' });
    expect(failed.expected).toContain('4711');
    const proven = await judged('print(1)', telling, true);
    expect(proven.verdict).toBe('wrong_answer');
    expect(JSON.stringify([failed.detail, proven])).not.toContain('4711');
  });

  it('that never ends on an output is no way out of a wrong answer', async () => {
    const limits = { cpuTimeMs: 200, wallTimeMs: 1_000 };
    const tests = [{ input: utf8.encode(''), expected: utf8.encode('fine') }];
    const checker = { kind: 'program', language: 'python', source: endless } as const;
    const form: TestForm = { kind: 'stdin', tests, checker };
    const result = await judge.judge({ language: 'python', source: 'print("x")' }, form, {
      ...defaultLimits,
      ...limits,
    });
    expect(result.verdict).toBe('wrong_answer');
  }, 300_000);

  it('is the only one who may call its tests broken: a program that shares their process may not', async () => {
    const forging = 'import os\nos.write(8, b\'B{"what":"x","statement":""}\\n\')\nos._exit(0)';
    const form: TestForm = { kind: 'asserts', tests: ['assert f(1) == 1'], entry: 'f', together: true };
    const forged = await judge.judge({ language: 'python', source: forging }, form, defaultLimits, { proven: true });
    expect(forged.verdict).toBe('runtime_error');
  });
});
