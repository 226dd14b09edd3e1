import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestForm } from '@tidemark/judging';
import type { JudgeResult } from '../../judge/judge.ts';
import { readKernelFile } from '../../sandbox/accounting/tasks.ts';
import { UIDS } from '../sandboxes.ts';
import { CANARY, type CaseJudge } from './case-judge.ts';
import { type BankCase, limitsOf } from './read-bank.ts';

/** Something that must hold outside the sandbox while and after a case runs. */
export interface HostCondition {
  readonly name: string;
  /** Undefined where nothing here can look at it. */
  readonly holds?: (results: readonly JudgeResult[], seconds: number) => Promise<boolean>;
}

const PWNED = '/tmp/pwned_canary';
const SMALL_BYTES = 4_096;
/** Others work on this machine too. */
const INODE_NOISE = 20_000;

type Looking = (before: Before) => NonNullable<HostCondition['holds']>;
interface Before {
  readonly bank: BankCase;
  readonly form: TestForm;
  readonly judge: CaseJudge;
}

const LOOKS: Readonly<Record<string, Looking>> = {
  // An answer that was read would have been printed, and right.
  'no expected output readable': () => async (results) => results.every(({ verdict }) => verdict !== 'accepted'),
  'output has no judge path, token or test name': (before) => async () => {
    const written = await transcriptOf(before);
    return (
      written !== undefined &&
      ![CANARY, process.cwd(), 'tidemark', process.execPath].some((word) => written.includes(word))
    );
  },
  'a canary secret in the service environment is absent': (before) => async (results) => {
    const written = await transcriptOf(before);
    return written !== undefined && !written.includes(CANARY) && !JSON.stringify(results).includes(CANARY);
  },
  'no inherited descriptor': () => async (results) => results.every(({ verdict }) => verdict === 'accepted'),
  'stored test input unchanged': ({ form }) => {
    const texts = inputsOf(form);
    return async () => inputsOf(form).every((text, at) => text === texts[at]);
  },
  '/tmp/pwned_canary absent': () => async () => !existsSync(PWNED),
  'other sandboxes keep working':
    ({ judge }) =>
    async () =>
      judge.worksOtherwise(),
  'no process left after 1 s': () => {
    const before = sandboxProcesses();
    return async () => {
      for (let tries = 0; tries < 10 && sandboxProcesses() > before; tries++) await pause(100);
      return sandboxProcesses() <= before;
    };
  },
  'no retry was scheduled': ({ judge, bank }) => {
    const before = judge.runs();
    // A run for each test, one to see whether the text compiles.
    return async () => judge.runs() - before <= bank.tests.length + 1;
  },
  'judge memory grows by less than the cap': ({ bank }) => {
    const before = process.memoryUsage.rss();
    // Output of a run is held once as it came and once as it is compared.
    return async () => process.memoryUsage.rss() - before < 4 * limitsOf(bank).outputBytes;
  },
  'log entry is small': () => async (results) => JSON.stringify(results).length < SMALL_BYTES,
  'host inode count unchanged': () => {
    const before = inodesUsed();
    return async () => inodesUsed() - before < INODE_NOISE;
  },
  'judge can still open files': () => async () => readFileSync('/proc/self/stat', 'utf8') !== '',
  'error text has no line of the host file': () => async (results) => {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n').filter(Boolean);
    const text = JSON.stringify(results);
    return !lines.some((line) => text.includes(line));
  },
};

/** What a case wants to hold outside; those that compare with before look now. */
export async function conditionsOf(
  bank: BankCase,
  form: TestForm,
  judge: CaseJudge,
): Promise<readonly HostCondition[]> {
  const before = { bank, form, judge };
  const timed: HostCondition[] = [];
  if (bank.max_wall !== undefined) {
    const most = bank.max_wall * Math.max(1, bank.tests.length);
    timed.push({ name: `ended within ${bank.max_wall} s a test`, holds: async (_, seconds) => seconds < most });
  }
  const always: readonly HostCondition[] = [
    { name: `${PWNED} absent`, holds: async () => !existsSync(PWNED) },
    { name: 'no secret in what is kept', holds: async (results) => !JSON.stringify(results).includes(CANARY) },
  ];
  const named = (bank.host ?? []).map((name): HostCondition => {
    const seconds = /^verdict in under ([\d.]+) s$/.exec(name)?.[1];
    if (seconds !== undefined)
      return { name, holds: async (_, took) => took < Number(seconds) * Math.max(1, bank.tests.length) };
    const holds = Object.hasOwn(LOOKS, name) ? LOOKS[name]?.(before) : undefined;
    return { name, ...(holds === undefined ? {} : { holds }) };
  });
  return [...named, ...timed, ...always];
}

async function transcriptOf({ bank, form, judge }: Before): Promise<string | undefined> {
  const input = form.kind === 'stdin' ? form.tests[0]?.input : undefined;
  return judge.transcript({ language: bank.language, source: bank.program }, input ?? new Uint8Array(), limitsOf(bank));
}

const inputsOf = (form: TestForm): readonly string[] =>
  form.kind === 'stdin' ? form.tests.map(({ input }) => Buffer.from(input).toString('latin1')) : [];

/**
 * Processes of sandboxes that descend from this one, or that nobody waits for any more. Run as a normal user they have
 * our own user, and are known by descent alone.
 */
function sandboxProcesses(): number {
  const parents = new Map<number, { parent: number; uid: number }>();
  for (const name of readdirSync('/proc')) {
    const status = /^\d+$/.test(name) ? readKernelFile(`/proc/${name}/status`) : undefined;
    if (status === undefined) continue;
    // What is dead and left to process 1 is collected when that comes to it.
    if (/^State:\s+Z/m.test(status) && /^PPid:\s+1$/m.test(status)) continue;
    const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    parents.set(Number(name), { parent: number('PPid'), uid: number('Uid') });
  }
  const isOurs = (pid: number): boolean => {
    const found = parents.get(pid);
    return found !== undefined && (found.parent === process.pid || isOurs(found.parent));
  };
  const isRoot = userInfo().uid === 0;
  return [...parents].filter(([pid, { parent, uid }]) => {
    const isRuns = !isRoot || (uid >= UIDS.first && uid < UIDS.first + UIDS.count);
    return isRuns && (isOurs(pid) || (isRoot && parent === 1));
  }).length;
}

function inodesUsed(): number {
  const { files, ffree } = statfsSync(tmpdir());
  return files - ffree;
}
