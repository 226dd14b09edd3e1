import { MemoryBlobStore } from '@tidemark/blob-store';
import { completeSuite, type Judge, toForm, toLimits, UnusableSuiteError } from '@tidemark/execute';
import type { ProblemRecord } from '@tidemark/formats';
import { sha256Hex } from '@tidemark/identity';
import { toTestSuite } from '@tidemark/ingest';
import type { Limits, TestForm } from '@tidemark/judging';
import { create } from '@bufbuild/protobuf';
import { LimitsSchema } from '@tidemark/proto';
import { UnusableProblemError } from './read-problem.ts';

/** The tests as the stream would judge by them: all of them, in its own form. */
export interface SpotSuite {
  readonly form: TestForm;
  /** Of each test. */
  readonly names: readonly string[];
  /** Runs before each program, in its namespace. */
  readonly setup: string;
  readonly limits: Limits;
}

/**
 * Takes the way of the stream: ingest's suite, execute's completion by references, its form and limits.
 *
 * @throws UnusableProblemError where there is nothing to judge by
 */
export async function spotSuite(record: ProblemRecord, judge: Judge, signal: AbortSignal): Promise<SpotSuite> {
  if (record.tests === undefined) throw new UnusableProblemError('the problem has no tests');
  const blobs = new MemoryBlobStore();
  const whole = await toTestSuite(record.tests, record, blobs);
  const { cpuTimeMs = 0, wallTimeMs = 0, memoryBytes = 0, outputBytes = 0 } = record.limits;
  const limits = toLimits(
    create(LimitsSchema, { cpuTimeMs, wallTimeMs, memoryBytes: BigInt(memoryBytes), outputBytes: BigInt(outputBytes) }),
  );
  const { setupCode: setup } = whole;
  const references = record.references.map(({ code, language }) => ({
    sha256: sha256Hex(new TextEncoder().encode(code)),
    language,
    source: withSetup(setup, code),
  }));
  try {
    const known = references.filter(({ language }) => judge.speaks(language));
    const completion = await completeSuite(whole, known, blobs, judge, limits, signal);
    if (completion.kind === 'environment')
      throw new UnusableProblemError(`no outputs: ${completion.verdict}: ${completion.detail}`);
    if (completion.kind !== 'complete') throw new UnusableProblemError(completion.message);
    const form = await toForm(completion.suite, blobs);
    const names = completion.suite.tests.map(({ name }) => name);
    return { form: await asReferencesPass(form, known, judge, limits, signal), names, setup, limits };
  } catch (error) {
    if (!(error instanceof UnusableSuiteError)) throw error;
    throw new UnusableProblemError(`the problem can't be judged here: ${error.message}`, { cause: error });
  }
}

/** Assertions run apart from the program; where references pass only together with them, together. */
async function asReferencesPass(
  form: TestForm,
  [reference]: readonly { readonly language: string; readonly source: string }[],
  judge: Judge,
  limits: Limits,
  signal: AbortSignal,
): Promise<TestForm> {
  if (form.kind !== 'asserts' || reference === undefined) return form;
  if ((await judge.judge(reference, form, limits, { signal })).verdict === 'accepted') return form;
  const together = { ...form, together: true };
  return (await judge.judge(reference, together, limits, { signal })).verdict === 'accepted' ? together : form;
}

export const withSetup = (setup: string, program: string): string => (setup === '' ? program : `${setup}\n${program}`);

/** The form with one of its tests. */
export function onlyTest(form: TestForm, at: number): TestForm {
  switch (form.kind) {
    case 'stdin':
      return { ...form, tests: form.tests.slice(at, at + 1) };
    case 'call':
      return { ...form, tests: form.tests.slice(at, at + 1) };
    case 'asserts':
      return { ...form, tests: form.tests.slice(at, at + 1) };
  }
}
