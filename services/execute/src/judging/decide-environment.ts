import type { EnvironmentVerdict } from '@tidemark/judging';

/**
 * What follows from a verdict that says nothing about the program.
 * - `wait`: the machine is at fault; the work is done again later, however long that takes.
 * - `suspect`: the machine or the program; a known-good program tells.
 * - `stands`: it would be the same again.
 */
export type EnvironmentDecision = 'wait' | 'suspect' | 'stands';

/** A program can break its sandbox; it can neither starve itself, nor stop the judge, nor take a language away. */
export function decideEnvironment(verdict: EnvironmentVerdict): EnvironmentDecision {
  switch (verdict) {
    case 'machine_overloaded':
    case 'cancelled':
    case 'language_missing':
      return 'wait';
    case 'sandbox_failure':
      return 'suspect';
    case 'checker_failure':
    case 'no_tests':
      return 'stands';
  }
}
