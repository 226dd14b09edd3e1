import { create } from '@bufbuild/protobuf';
import { type AnswerForm, assembleProgram, extractCode, type Limits, type TestForm } from '@tidemark/judging';
import { type Attempt, type AttemptVerdict, AttemptVerdictSchema, StopReason, Verdict } from '@tidemark/proto';
import { sha256Hex } from '@tidemark/identity';
import type { JudgeResult } from '../judge/judge.ts';
import { toWireVerdict } from './to-wire-verdict.ts';

/** What attempts at one problem are judged by. */
export type Bench = {
  readonly form: TestForm;
  readonly limits: Limits;
  readonly testNames: readonly string[];
  /** Code that the model was given; a completion continues it. */
  readonly starterCode: string;
  /** Runs before the program. */
  readonly setupCode: string;
  readonly entryPoint: string;
  /** Languages that may answer, the likeliest first. */
  readonly languages: readonly string[];
  readonly answerForm: AnswerForm;
};

const EXCERPT_CHARACTERS = 500;

/** What a program earned. */
export type RunProgram = (program: {
  readonly source: string;
  readonly sha256: string;
  readonly language: string;
}) => Promise<JudgeResult>;

/** The language that an answer is in; undefined where it holds no code. */
export function languageOf(output: string, { answerForm, languages }: Bench): string | undefined {
  const extraction = extractCode(output, answerForm, languages);
  return extraction.kind === 'code' ? extraction.language : undefined;
}

/** One attempt's verdict; its program, where it holds one, is run by `run`. */
export async function judgeAttempt(
  attempt: Pick<Attempt, 'index' | 'stopReason'>,
  output: string,
  bench: Bench,
  run: RunProgram,
): Promise<AttemptVerdict> {
  const truncated = attempt.stopReason === StopReason.LENGTH;
  const extraction = extractCode(output, bench.answerForm, bench.languages);
  if (extraction.kind === 'no_code') {
    const excerpt = extraction.reason;
    return create(AttemptVerdictSchema, { index: attempt.index, verdict: Verdict.NO_CODE, excerpt, truncated });
  }
  const answer = { code: extraction.code, continuesPreamble: bench.answerForm.kind === 'completion' };
  // A whole program doesn't start from the starter code of a function.
  const preamble = bench.form.kind === 'stdin' ? '' : bench.starterCode;
  const assembled = assembleProgram(preamble, answer, bench.entryPoint || undefined);
  const source = bench.setupCode === '' ? assembled : `${bench.setupCode}\n${assembled}`;
  const programSha256 = sha256Hex(source);
  const result = await run({ source, sha256: programSha256, language: extraction.language });
  return create(AttemptVerdictSchema, {
    index: attempt.index,
    verdict: toWireVerdict(result.verdict),
    testsRun: result.testsRun,
    testsPassed: result.testsPassed,
    cpuTimeMs: result.cpuTimeMs,
    wallTimeMs: result.wallTimeMs,
    memoryBytes: BigInt(result.memoryBytes),
    failingTest: result.failingTest === undefined ? '' : (bench.testNames[result.failingTest] ?? ''),
    excerpt: result.detail.slice(0, EXCERPT_CHARACTERS),
    truncated,
    extraction: extraction.note.replaceAll(' ', '_'),
    programSha256,
    language: extraction.language,
  });
}
