import type { Verdict } from '@tidemark/judging';
import { defaultLimits, isAboutProgram } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PythonProfile } from '../languages/python/python-profile.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WAYS } from '../testing/sandboxes.ts';
import { Judge } from './judge.ts';

const limits = { ...defaultLimits, cpuTimeMs: 2_000, wallTimeMs: 6_000 };

describe.each(WAYS)('assertion scripts by %s', (_way, sandboxOf) => {
  let sandbox: Sandbox;
  let judge: Judge;
  beforeAll(async () => {
    const python = await PythonProfile.detect();
    if (!python) throw new Error('this spec needs python3');
    sandbox = sandboxOf(python);
    judge = new Judge(sandbox, [python]);
  });
  afterAll(() => sandbox?.close());

  const judged = (source: string, test: string, together = false) =>
    judge.judge({ language: 'python', source }, { kind: 'asserts', tests: [test], entry: 'f', together }, limits);

  it.each<[string, string, string, Verdict]>([
    ['right', 'def f(x): return x + 1', 'assert f(1) == 2\nassert f(2) == 3', 'accepted'],
    ['wrong', 'def f(x): return x + 1', 'assert f(1) == 2\nassert f(2) == 4', 'wrong_answer'],
    ['raising', 'def f(x): raise ValueError("no")', 'assert f(1) == 2', 'runtime_error'],
    ['with an assertion of its own that fails', 'def f(x): assert False', 'assert f(1) == 2', 'runtime_error'],
    ['without the function', 'def g(x): return 2', 'assert f(1) == 2', 'wrong_form'],
    ['that does not compile', 'def f(x) return 2', 'assert f(1) == 2', 'compile_error'],
    ['that never ends', 'def f(x):\n    while True: pass', 'assert f(1) == 2', 'time_limit'],
    ['with broken tests', 'def f(x): return 2', 'assert f(', 'checker_failure'],
  ])('judge a program %s', async (_name, source, test, verdict) => {
    expect((await judged(source, test)).verdict).toBe(verdict);
    expect((await judged(source, test, true)).verdict).toBe(verdict);
  });

  it.each([
    [
      'containers of every kind',
      'def f(x): return (1, [2], {3: {4}}, b"5", None, 2**70, frozenset([1]))',
      'assert f(1) == (1, [2], {3: {4}}, b"5", None, 2**70, frozenset([1]))',
    ],
    ['arguments changed in place', 'def f(x): x.append(3)', 'a = [1]\nf(a)\nassert a == [1, 3]'],
    ['generators', 'def f(x): yield from range(3)', 'assert list(f(1)) == [0, 1, 2]'],
    ['exceptions', 'def f(x): raise KeyError("k")', 'try:\n    f(1)\n    assert False\nexcept KeyError:\n    pass'],
    ['modules that the program imported', 'import math\ndef f(x): return x', 'assert f(math.pi) == math.pi'],
    [
      'builtin types',
      'def f(x): return [type(i) for i in x] + [x]',
      'assert f([1, "a"]) == [int, str, [1, "a"]]\nassert f([int])[1] == [int]',
    ],
    ['NaN', 'def f(x): return float("nan")', 'assert f(1) != f(1)'],
    ['a tuple that is no list', 'def f(x): return 1, 2', 'assert f(1) != [1, 2]'],
    [
      'a function with the name of a builtin',
      'def f(x): return x\ndef abs(x): return 7',
      'assert f(3) == 3 and abs(-2) == 2',
    ],
    [
      'what the program keeps between calls',
      'n = 0\ndef f(x):\n    global n\n    n += 1\n    return n',
      'assert f(0) == 1\nassert f(0) == 2',
    ],
  ])('carry %s between program and tests', async (_name, source, test) => {
    expect(await judged(source, test)).toMatchObject({ verdict: 'accepted' });
  });

  it.each([
    ['ends at once', 'import os\nos._exit(0)'],
    ['ends when called', 'import os\ndef f(x): os._exit(0)'],
    ['leaves with sys.exit', 'import sys\ndef f(x): sys.exit(0)'],
    ['returns what equals everything', 'class Y:\n    def __eq__(self, o): return True\ndef f(x): return Y()'],
    [
      'writes the proof itself',
      'import os\ntry: os.write(8, b"P" + os.read(7, 64) + b"\\n")\nexcept OSError: pass\nos._exit(0)',
    ],
    [
      'asks the harness for the proof',
      'def f(x):\n    import __main__\n    __main__.tell("P", __main__.take(64).decode())',
    ],
    ['kills the tests', 'import os\ndef f(x): os.kill(os.getppid(), 9)'],
    ['replaces builtins', 'import builtins\nbuiltins.abs = lambda x: 0\ndef abs(x): return 0\ndef f(x): return 5'],
    [
      'forges the names that it brings',
      [
        'import sys',
        'frame = sys._getframe()',
        'while "outbox" not in frame.f_locals: frame = frame.f_back',
        'own, harness = frame.f_locals, frame.f_globals',
        'forged = ["value", ["d", [["abs", ["builtin", "int"]]]]]',
        'harness["send"](own["outbox"], {"names": {"f": ["callable", None], "__builtins__": forged}})',
        'while harness["receive"](own["inbox"]) is not None:',
        '    harness["send"](own["outbox"], {"value": harness["pack"](-1e9)})',
      ].join('\n'),
    ],
    ['interrupts the tests', 'import os\nfor _ in range(2000): os.kill(os.getppid(), 2)\ndef f(x): return 5'],
    ['looks into the memory of the tests', 'import os\ndef f(x): return open("/proc/%d/mem" % os.getppid(), "rb+")'],
  ])('are not passed by a program that %s', async (_name, source) => {
    const { verdict } = await judged(source, 'assert abs(f(1) - 2) < 1e-6 if f(1) != 2 else f(1) == 2');
    expect(verdict).not.toBe('accepted');
    expect(isAboutProgram(verdict)).toBe(true);
  });

  it('that need instances of the program pass only together', async () => {
    const [source, test] = [
      'class Node:\n    def __init__(s, v): s.v = v\ndef f(n): return n.v',
      'assert f(Node(3)) == 3',
    ];
    expect((await judged(source, test)).verdict).not.toBe('accepted');
    expect((await judged(source, test, true)).verdict).toBe('accepted');
  });
});
