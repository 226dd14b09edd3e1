import type { Limits, RunFacts } from './run-facts.ts';
import type { ProgramVerdict, Verdict } from './verdict.ts';

/** What a run delivered, as seen by the judge outside. */
export type Delivered =
  /** The answer was compared and is right, or the proof of a completed assertion script arrived. */
  { readonly kind: 'right' } | ({ readonly kind: 'failed'; readonly verdict: ProgramVerdict } & Explanation);

export type Explanation = {
  /** What the program did, for whoever wrote it: no expected value, no text of a test. */
  readonly detail: string;
  /** What was expected, for those who may see the tests. */
  readonly expected?: string;
};

export type Judgement = { readonly verdict: Verdict } & Explanation;

/**
 * The verdict of one run. Resources come first, because they are measured and the rest may be the program's pretence:
 * memory, output, CPU, wall; then how it ended; then what it delivered. The exit code is never more than zero or not.
 */
export function decideVerdict(facts: RunFacts, limits: Limits, delivered: () => Delivered): Judgement {
  const { end } = facts;
  if (end.kind === 'stopped' && end.by === 'cancelled')
    return { verdict: 'cancelled', detail: 'the judge was stopped' };
  if (facts.memoryKill === 'own_limit') {
    return { verdict: 'memory_limit', detail: `over ${mebibytes(limits.memoryBytes)} MiB` };
  }
  if (end.kind === 'stopped' && end.by === 'output') {
    return { verdict: 'output_limit', detail: `more than ${limits.outputBytes} bytes of output` };
  }
  if (facts.cpuTimeMs > limits.cpuTimeMs || (end.kind === 'stopped' && end.by === 'cpu')) {
    return {
      verdict: 'time_limit',
      detail: `${Math.round(facts.cpuTimeMs)} ms of CPU time, ${limits.cpuTimeMs} allowed`,
    };
  }
  if (facts.memoryKill === 'outside') {
    return { verdict: 'machine_overloaded', detail: 'the machine ran out of memory, the program had not' };
  }
  if (end.kind === 'stopped') {
    if (end.by === 'wall') {
      return {
        verdict: 'time_limit',
        detail: `idle: ${Math.round(facts.wallTimeMs)} ms passed, ${limits.wallTimeMs} allowed`,
      };
    }
    return { verdict: 'machine_overloaded', detail: 'the machine gave the program too little CPU' };
  }
  const answer = delivered();
  if (answer.kind === 'failed' && answer.verdict !== 'wrong_answer') return judgementOf(answer);
  if (end.code !== 0) return { verdict: 'runtime_error', detail: endedBy(end.code) };
  return answer.kind === 'right' ? { verdict: 'accepted', detail: '' } : judgementOf(answer);
}

function judgementOf({ verdict, detail, expected }: Extract<Delivered, { kind: 'failed' }>): Judgement {
  return { verdict, detail, ...(expected === undefined ? {} : { expected }) };
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

function endedBy(code: number): string {
  return code > 128 ? `ended with code ${code} (signal ${code - 128})` : `ended with code ${code}`;
}
