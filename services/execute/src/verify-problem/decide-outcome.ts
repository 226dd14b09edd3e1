import { type EnvironmentVerdict, isAboutProgram } from '@tidemark/judging';
import type { JudgeResult } from '../judge/judge.ts';

/** One reference's run. */
export type ReferenceResult = {
  readonly sha256: string;
  readonly language: string;
  readonly result: JudgeResult;
  /** Name of the first failing test; empty when none failed. */
  readonly failingTest: string;
  /** The text of that test, where tests are assertions; empty otherwise. */
  readonly failingAssertion: string;
};

export type Evidence = { readonly kind: string; readonly text: string };

/** What the references' runs mean for the problem. */
export type VerificationOutcome =
  | { readonly kind: 'verified' }
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      readonly message: string;
      readonly evidence: readonly Evidence[];
    }
  /** Nothing is known yet; the problem waits for something that may come. */
  | {
      readonly kind: 'waiting';
      readonly reason: string;
      readonly message: string;
      /** Any of these languages would do. Absent: it waits for something else. */
      readonly languages?: readonly string[];
    }
  /** A program's run failed, by the machine's fault or because it breaks the sandbox. */
  | {
      readonly kind: 'environment';
      readonly program: string;
      readonly language: string;
      readonly verdict: EnvironmentVerdict;
      readonly detail: string;
    };

/**
 * Every reference that could be run has to pass. One that fails casts doubt on the tests or on itself, and nobody here
 * can say which: the problem is rejected with the failing test.
 */
export function decideOutcome(references: readonly ReferenceResult[]): VerificationOutcome {
  if (references.length === 0) {
    return {
      kind: 'rejected',
      reason: 'no_reference',
      message: 'It has no reference solution to verify its tests.',
      evidence: [],
    };
  }
  const ran = references.filter(({ result }) => result.verdict !== 'language_missing');
  if (ran.length === 0) return waitingForLanguage(references);
  const broken = ran.find(({ result }) => result.verdict === 'checker_failure' || result.verdict === 'no_tests');
  if (broken) return rejection('tests_unusable', 'Its tests or checker do not run', broken);
  for (const { sha256, language, result } of ran) {
    const { verdict, detail } = result;
    if (!isAboutProgram(verdict)) return { kind: 'environment', program: sha256, language, verdict, detail };
  }
  const failing = ran.find(({ result }) => result.verdict !== 'accepted');
  if (failing) return rejection('reference_failed', 'Its reference solution fails its tests', failing);
  return { kind: 'verified' };
}

/** None of the references is in a language that this replica has; another one may have it, or this one later. */
export function waitingForLanguage(
  references: readonly { readonly language: string }[],
): Extract<VerificationOutcome, { kind: 'waiting' }> {
  const languages = [...new Set(references.map(({ language }) => language))];
  const message = `No reference is in a language judged here: ${languages.join(', ')}.`;
  return { kind: 'waiting', reason: 'language_missing', message, languages };
}

/** The references are in languages judged here, to whose programs tests of this form can't be put. */
export function waitingForForm(
  references: readonly { readonly language: string }[],
): Extract<VerificationOutcome, { kind: 'waiting' }> {
  const languages = [...new Set(references.map(({ language }) => language))].join(', ');
  const message = `Its tests call functions, which no judge here does in ${languages}.`;
  return { kind: 'waiting', reason: 'language_missing', message };
}

function rejection(reason: string, what: string, reference: ReferenceResult): VerificationOutcome {
  const { result, failingTest, failingAssertion, sha256 } = reference;
  const where = failingTest === '' ? '' : ` at test ${failingTest}`;
  const evidence: Evidence[] = [{ kind: 'verdict', text: `${result.verdict}: ${result.detail}` }];
  // The statement that failed where it is known, else the whole test.
  if (failingAssertion !== '')
    evidence.unshift({ kind: 'failing_assertion', text: result.expected ?? failingAssertion });
  else if (result.expected !== undefined) evidence.unshift({ kind: 'expected', text: result.expected });
  evidence.push({ kind: 'reference', text: sha256 });
  return { kind: 'rejected', reason, message: `${what}${where}: ${result.verdict.replaceAll('_', ' ')}.`, evidence };
}
