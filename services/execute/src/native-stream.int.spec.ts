import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topics } from '@tidemark/event-log';
import { AnswerForm, StageOutcome, Verdict } from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { executeService } from './index.ts';
import { adding, asserting, group, PROMPT, SUM, target, unique } from './testing/events.ts';

const CPP = '#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << "\\n"; }\n';
const fenced = (code: string, tag: string) => `\`\`\`${tag}\n${code}\`\`\`\n`;
const COMPILER = '/usr/bin/g++';
const hasCompiler = existsSync(COMPILER);
if (!hasCompiler) console.warn('SKIPPED: no g++ here');

describe.skipIf(!hasCompiler)('problems in C++', () => {
  let stage: StageHarness | undefined;
  afterEach(() => stage?.stop());
  const start = async (config: Record<string, string> = {}) => {
    stage = await startStage(executeService, { config: { workers: '2', ...config } });
    await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
    return stage;
  };
  const verdictsOf = async (running: StageHarness) =>
    (await running.published(topics.rolloutsGraded)).flatMap(({ value }) =>
      (value?.verdicts ?? []).map(({ verdict, language }) => [Verdict[verdict], language]),
    );

  it('are verified by references in C++, and attempts are judged in the language they are written in', async () => {
    const running = await start();
    await running.publish(
      topics.problemsUnique,
      unique('both', adding, [CPP], { language: 'C++17', languages: ['python', 'cpp'] }),
      unique('wrong', adding, [CPP.replace('a + b', 'a - b')], { language: 'cpp', languages: ['cpp'] }),
      unique('called', asserting('assert double(2) == 4'), ['int twice(int x) { return 2 * x; }'], { language: 'cpp' }),
      unique('two', asserting('assert double(2) == 4'), [`${PROMPT}    return x + x\n`]),
    );
    await running.untilQuiet(120_000);
    const verified = (await running.published(topics.problemsVerified)).map(({ value }) => value);
    expect(verified.map((one) => one?.problemId).sort()).toEqual(['both', 'two']);
    expect(verified.find((one) => one?.problemId === 'both')?.references).toMatchObject([
      { language: 'cpp', testsRun: 2 },
    ]);
    const said = new Map(
      (await running.published(topics.problemsStatus)).map(({ value }) => [value?.problemId, value]),
    );
    expect(said.get('wrong')).toMatchObject({ outcome: StageOutcome.REJECTED, reason: 'reference_failed' });
    // Not asked again for ever: nothing here will ever call functions of C++.
    expect(said.get('called')).toMatchObject({ outcome: StageOutcome.WAITING, reason: 'language_missing' });
    expect(await running.query(`SELECT waits_for FROM problems WHERE problem_id = 'called'`)).toEqual([
      { waits_for: [] },
    ]);

    await running.publish(
      topics.rolloutsSubmitted,
      group('mixed', 'both', 'chat', [
        fenced(CPP, 'cpp'),
        fenced(SUM, 'python'),
        fenced(CPP, ''),
        fenced(CPP.replace('a + b', 'a'), 'c++'),
        fenced('int main() { return x; }\n', 'cpp'),
        fenced('int main() { *(volatile int *)0 = 1; }\n', 'cpp'),
        fenced('int f(int a) { return a; }\n', 'cpp'),
        fenced('fn main() {}\n', 'rust'),
      ]),
    );
    await running.untilQuiet(120_000);
    expect(await verdictsOf(running)).toEqual([
      ['ACCEPTED', 'cpp'],
      ['ACCEPTED', 'python'],
      ['ACCEPTED', 'cpp'],
      ['WRONG_ANSWER', 'cpp'],
      ['COMPILE_ERROR', 'cpp'],
      ['RUNTIME_ERROR', 'cpp'],
      ['WRONG_FORM', 'cpp'],
      ['NO_CODE', ''],
    ]);
  }, 400_000);

  it('wait for a compiler, with groups in C++, while all else goes on; both are taken up when there is one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-cxx-'));
    const cxx = join(folder, 'g++');
    const running = await start({ cc: '/no/cc', cxx });
    try {
      expect(running.service.readiness()).toEqual({ ready: true, reasons: [] });
      await running.publish(
        topics.problemsUnique,
        unique('native', adding, [CPP], { language: 'cpp', languages: ['cpp'] }),
        unique('both', adding, [SUM], { languages: ['python', 'cpp'] }),
      );
      await running.untilQuiet(60_000);
      await running.publish(
        topics.rolloutsSubmitted,
        group('script', 'both', 'chat', [fenced(SUM, 'python')]),
        group('compiled', 'both', 'chat', [fenced(SUM, 'python'), fenced(CPP, 'cpp')]),
      );
      await running.untilQuiet(60_000);
      const status = (await running.published(topics.problemsStatus)).find(
        ({ value }) => value?.problemId === 'native',
      );
      expect(status?.value).toMatchObject({ outcome: StageOutcome.WAITING, reason: 'language_missing' });
      expect(await verdictsOf(running)).toEqual([['ACCEPTED', 'python']]);

      symlinkSync(COMPILER, cxx);
      await running.restart();
      const done = async () => [
        (await running.published(topics.problemsVerified)).map(({ value }) => value?.problemId).sort(),
        await verdictsOf(running),
      ];
      await expect.poll(done, { timeout: 120_000, interval: 500 }).toEqual([
        ['both', 'native'],
        [
          ['ACCEPTED', 'python'],
          ['ACCEPTED', 'python'],
          ['ACCEPTED', 'cpp'],
        ],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 400_000);
});
