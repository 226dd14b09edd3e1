import { clone } from '@bufbuild/protobuf';
import type { BlobStore } from '@tidemark/blob-store';
import { type Comparison, compare, excerpt, isAboutProgram, type Limits } from '@tidemark/judging';
import { type TestCase, TestForm, type TestSuite, TestSuiteSchema } from '@tidemark/proto';
import type { Judge, Question, Submission } from '../judge/judge.ts';
import { toChecker } from '../suite/to-form.ts';
import type { VerificationOutcome } from './decide-outcome.ts';

/** A suite whose every test has its expected output, or why there is none. */
export type Completion =
  | { readonly kind: 'complete'; readonly suite: TestSuite }
  | Exclude<VerificationOutcome, { kind: 'verified' }>;

/** A reference, set-up code and all; the hash is that of its own source. */
export type Reference = Submission & { readonly sha256: string };

/**
 * Makes missing expected outputs by running the references, never otherwise. The first reference runs twice, a second
 * one once where there is one; all have to agree by the problem's own comparison.
 *
 * @param references claimed right, in languages judged here
 */
export async function completeSuite(
  suite: TestSuite,
  references: readonly Reference[],
  blobs: BlobStore,
  judge: Judge,
  limits: Limits,
  signal: AbortSignal,
): Promise<Completion> {
  if (suite.tests.every(hasExpected)) return { kind: 'complete', suite };
  const [first, second] = references;
  if (!first)
    return { kind: 'waiting', reason: 'expected_outputs_missing', message: 'No reference can make its outputs.' };
  const checker = await toChecker(suite.checker, blobs, suite.form === TestForm.STDIN ? undefined : { kind: 'json' });
  // A program that decides between several right answers can't say that two answers are the same.
  const comparison: Comparison = checker.kind === 'program' ? { kind: 'tokens' } : checker;
  const complete = clone(TestSuiteSchema, suite);
  for (const test of complete.tests.filter((one) => !hasExpected(one))) {
    const outputs: Uint8Array[] = [];
    for (const reference of [first, first, ...(second ? [second] : [])]) {
      const answer = await judge.answer(reference, questionOf(test, suite), limits, signal);
      if (answer.kind === 'answered') outputs.push(answer.output);
      else if (isAboutProgram(answer.verdict)) return referenceFailed(test, `${answer.verdict}: ${answer.detail}`);
      else {
        const { sha256: program, language } = reference;
        return { kind: 'environment', program, language, verdict: answer.verdict, detail: answer.detail };
      }
    }
    const [expected, again, other] = outputs as [Uint8Array, Uint8Array, Uint8Array?];
    if (!compare(comparison, expected, again).equal) return disagreement(test, 'reference_flaky', expected, again);
    if (other && !compare(comparison, expected, other).equal) {
      return disagreement(test, 'references_disagree', expected, other);
    }
    setExpected(test, expected);
  }
  return { kind: 'complete', suite: complete };
}

function hasExpected({ body }: TestCase): boolean {
  if (body.case === 'stdin') return body.value.expected !== undefined;
  if (body.case === 'call') return body.value.expectedJson !== undefined;
  return true;
}

function setExpected({ body }: TestCase, output: Uint8Array): void {
  if (body.case === 'stdin') body.value.expected = output;
  if (body.case === 'call') body.value.expectedJson = new TextDecoder().decode(output);
}

function questionOf({ body }: TestCase, suite: TestSuite): Question {
  if (body.case !== 'call')
    return { kind: 'stdin', input: body.case === 'stdin' ? body.value.input : new Uint8Array() };
  const { argumentsJson, namedArgumentsJson, inPlaceArgument } = body.value;
  return { kind: 'call', call: { entry: suite.entryPoint, argumentsJson, namedArgumentsJson, inPlaceArgument } };
}

function referenceFailed(test: TestCase, text: string): Completion {
  const message = `Its reference solution gives no output for test ${test.name}.`;
  return { kind: 'rejected', reason: 'reference_failed', message, evidence: [{ kind: 'verdict', text }] };
}

function disagreement(test: TestCase, reason: string, one: Uint8Array, other: Uint8Array): Completion {
  const who = reason === 'reference_flaky' ? 'Two runs of its reference' : 'Two references';
  const evidence = [one, other].map((output) => ({ kind: 'output', text: excerpt(output, 400) }));
  return { kind: 'rejected', reason, message: `${who} give different outputs for test ${test.name}.`, evidence };
}
