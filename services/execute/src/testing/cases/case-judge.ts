import { createServer, type Server } from 'node:net';
import { defaultLimits, type Limits, type TestForm } from '@tidemark/judging';
import { Builds } from '../../judge/builds.ts';
import { Judge, type JudgeResult, type Submission } from '../../judge/judge.ts';
import type { LanguageProfile } from '../../languages/language-profile.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** The judge as cases need it: it evaluates their inputs, counts runs, and has doors outside that nobody inside may see. */
export interface CaseJudge {
  speaks(language: string): boolean;
  judge(submission: Submission, form: TestForm, limits: Limits): Promise<JudgeResult>;
  /** All that a program writes, its error stream included; undefined where it did not run. */
  transcript(submission: Submission, input: Uint8Array, limits: Limits): Promise<string | undefined>;
  /** What a Python expression writes. */
  readonly evaluate: (expression: string) => Promise<Uint8Array>;
  /** Whether a program known to be right is accepted. */
  worksOtherwise(): Promise<boolean>;
  /** Runs in the sandbox so far. */
  runs(): number;
  /** Closes doors and sandbox. */
  close(): Promise<void>;
}

/** In the environment of this process, so that a program which sees it has seen too much. */
export const CANARY = 'canary-secret';

/** @throws Error where programs can't be isolated */
export async function openCaseJudge(sandbox: Sandbox, profiles: readonly LanguageProfile[]): Promise<CaseJudge> {
  process.env.TIDEMARK_CANARY = CANARY;
  const report = await sandbox.check();
  if (!report.ready) throw new Error(report.reason);
  let runs = 0;
  const counting: Sandbox = {
    get accounting() {
      return sandbox.accounting;
    },
    check: () => sandbox.check(),
    close: () => sandbox.close(),
    run: (...given) => {
      runs += 1;
      return sandbox.run(...given);
    },
  };
  const judge = new Judge(counting, profiles);
  const builds = new Builds(sandbox, undefined);
  const python = profiles.find(({ language }) => language === 'python');
  if (!python) throw new Error('the inputs of cases are made by python3');
  const doors = [createServer().listen(18_999, '127.0.0.1'), createServer().listen('\0canary-abstract')];
  // Somebody else's door does as well.
  for (const door of doors) door.on('error', () => undefined);
  return {
    speaks: (language) => judge.speaks(language),
    judge: (submission, form, limits) => judge.judge(submission, form, limits),
    transcript: async ({ language, source }, input, limits) => {
      const profile = profiles.find((one) => one.language === language);
      if (!profile) return undefined;
      const built = await builds.of(profile, { source });
      if (built.kind !== 'ready') return undefined;
      const outcome = await sandbox.run({ ...profile.program(source, built.binary), stdin: input }, limits);
      if (outcome.kind !== 'ran') return undefined;
      return new TextDecoder().decode(Buffer.concat([outcome.stdout, outcome.stderr]));
    },
    evaluate: async (expression) => {
      const prepared = python.program(`import sys\nsys.stdout.write(${expression})\n`);
      const room = { ...defaultLimits, cpuTimeMs: 20_000, wallTimeMs: 60_000, outputBytes: 64 << 20 };
      const outcome = await sandbox.run({ ...prepared, stdin: new Uint8Array() }, room);
      if (outcome.kind !== 'ran') throw new Error(outcome.reason);
      return outcome.stdout;
    },
    worksOtherwise: () => judge.passesKnownGood('python'),
    runs: () => runs,
    close: async () => {
      await Promise.all(doors.map(closed));
      await sandbox.close();
    },
  };
}

async function closed(door: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    if (!door.listening) resolve();
    else door.close(() => resolve());
  });
}
