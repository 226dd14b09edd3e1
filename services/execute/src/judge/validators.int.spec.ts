import { type CheckerProgram, defaultLimits, type TestForm } from '@tidemark/judging';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectLanguages } from '../languages/detect-languages.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { WAYS } from '../testing/sandboxes.ts';
import { Judge } from './judge.ts';

const utf8 = new TextEncoder();
const languages = await detectLanguages();
const hasCpp = languages.some(({ language }) => language === 'cpp');
if (!hasCpp) console.warn('SKIPPED: validators in C++, no compiler here');

/** Any two numbers with the right sum: many answers are right. */
const PYTHON = [
  'import sys',
  'from helper import total',
  'wanted = int(open(sys.argv[1]).read())',
  'assert open(sys.argv[2]).read() != ""',
  'open(sys.argv[3] + "judgemessage.txt", "w").write("seen")',
  'assert sys.argv[4:] == ["strict", "a b"]',
  'sys.exit(42 if total(sys.stdin.read()) == wanted else 43)',
].join('\n');
const CPP = [
  '#include "helper.h"',
  '#include <cstdlib>',
  '#include <fstream>',
  '#include <iostream>',
  '#include <string>',
  'int main(int argc, char **argv) {',
  '  long wanted, a, b; std::string answer;',
  '  std::ifstream(argv[1]) >> wanted; std::ifstream(argv[2]) >> answer;',
  '  if (answer.empty() || argc != 6 || std::string(argv[5]) != "a b") return 1;',
  '  std::ofstream feedback(std::string(argv[3]) + "judgemessage.txt"); feedback << "seen"; if (!feedback) return 2;',
  '  if (!(std::cin >> a >> b)) { std::string word; std::cin.clear(); std::cin >> word; if (word == "break") std::abort(); return 43; }',
  '  return total(a, b) == wanted ? 42 : 43;',
  '}',
].join('\n');
const TESTLIB = [
  '#include <fstream>',
  'int main(int argc, char **argv) {',
  '  if (argc != 4) return 3;',
  '  std::ifstream in(argv[1]), out(argv[2]), answer(argv[3]);',
  '  long wanted, a, b, x;',
  '  if (!(in >> wanted) || !(answer >> x)) return 3;',
  '  if (!(out >> a >> b)) return 2;',
  '  return a + b == wanted ? 0 : 1;',
  '}',
].join('\n');
const words = ['strict', 'a b'];
const python: CheckerProgram = {
  kind: 'program',
  protocol: 'kattis',
  language: 'python',
  source: PYTHON,
  files: { 'helper.py': 'def total(text): return sum(map(int, text.split()))' },
  arguments: words,
};
const cpp: CheckerProgram = {
  kind: 'program',
  protocol: 'kattis',
  language: 'cpp',
  source: CPP,
  files: { 'helper.h': 'inline long total(long a, long b) { return a + b; }' },
  arguments: words,
};
const testlib: CheckerProgram = { kind: 'program', protocol: 'testlib', language: 'cpp', source: TESTLIB };

describe.each(WAYS)('a validator by %s', (_way, sandboxOf) => {
  let sandbox: Sandbox;
  let judge: Judge;
  beforeAll(() => {
    sandbox = sandboxOf(...languages);
    judge = new Judge(sandbox, languages);
  });
  afterAll(() => sandbox?.close());

  const judged = (output: string, checker: CheckerProgram, expected = '1 41\n') => {
    const tests = [{ input: utf8.encode('42\n'), expected: utf8.encode(expected) }];
    const form: TestForm = { kind: 'stdin', tests, checker };
    return judge.judge({ language: 'python', source: `print(${JSON.stringify(output)})` }, form, defaultLimits);
  };

  it.each<[string, CheckerProgram]>([
    ['Kattis in Python', python],
    ['Kattis in C++', cpp],
    ['testlib', testlib],
  ])(
    'of %s decides',
    async (_name, checker) => {
      if (!hasCpp && checker.language === 'cpp') return;
      expect(await judged('40 2', checker)).toMatchObject({ verdict: 'accepted', testsPassed: 1 });
      expect((await judged('40 3', checker)).verdict).toBe('wrong_answer');
      // Junk is the program's fault: the validator works on the answer.
      expect((await judged('many words', checker)).verdict).toBe('wrong_answer');
      expect((await judged('break', checker)).verdict).toBe('wrong_answer');
      expect((await judged('', checker)).verdict).toBe('wrong_answer');
    },
    300_000,
  );

  it('that fails on the answer too, or does not compile, has failed itself', async () => {
    const failing = { ...python, arguments: [] };
    expect(await judged('40 3', failing)).toMatchObject({ verdict: 'checker_failure', detail: 'the checker failed' });
    if (!hasCpp) return;
    expect((await judged('40 3', { ...cpp, arguments: [] })).verdict).toBe('checker_failure');
    const broken = await judged('40 2', { ...cpp, source: 'int main() { return secret; }' });
    expect(broken).toMatchObject({ verdict: 'checker_failure', detail: 'the checker does not compile' });
    // It says so itself.
    expect((await judged('40 2', testlib, 'x')).verdict).toBe('checker_failure');
  }, 300_000);
});

describe.each(WAYS)('a class with calls in turn by %s', (_way, sandboxOf) => {
  let sandbox: Sandbox;
  let judge: Judge;
  beforeAll(() => {
    sandbox = sandboxOf(...languages);
    judge = new Judge(sandbox, languages);
  });
  afterAll(() => sandbox?.close());

  const tests = [
    {
      argumentsJson: [
        '["Stack", "push", "push", "all", "pop", "pop", "all"]',
        '[[], [9007199254740993], [2], [], [], [], []]',
      ],
      expectedJson: '[null, null, null, [9007199254740993, 2], 2, 9007199254740993, []]',
    },
  ];
  const form: TestForm = { kind: 'call', entry: 'Stack', comparison: { kind: 'json' }, tests };
  const methods = (pop: string) =>
    `class Stack:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def all(self): return self.items\n    def ${pop}\n`;

  it.each([
    ['accepted', methods('pop(self): return self.items.pop()')],
    ['wrong_answer', methods('pop(self): return self.items.pop(0)')],
    ['runtime_error', methods('pop(self): return 1 // 0')],
    ['wrong_form', methods('take(self): return self.items.pop()')],
    ['wrong_form', 'def Stack(names, calls): return [None] * 7'],
    ['runtime_error', methods('pop(self): return self')],
    ['wrong_form', 'class Solution:\n    def pop(self): return 1'],
  ])(
    'gets %s',
    async (verdict, source) => {
      expect((await judge.judge({ language: 'python', source }, form, defaultLimits)).verdict).toBe(verdict);
    },
    60_000,
  );
});
