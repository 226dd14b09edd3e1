/**
 * What an attempt earned. Closed: a judge answers with one of these and with nothing else.
 *
 * The program's own verdicts count towards n, and `accepted` towards c:
 * - `accepted`: every judging test passed.
 * - `wrong_answer`: it ended well and its answer differs, or an assertion of the tests does not hold.
 * - `time_limit`: it used more CPU time than allowed, or slept past the wall limit although the machine let it run.
 * - `memory_limit`: the kernel killed for memory inside its sandbox.
 * - `output_limit`: it wrote more than the cap.
 * - `runtime_error`: it ended by a signal, with a non-zero code, by an exception, or before it had answered.
 * - `compile_error`: the language refuses its text.
 * - `no_code`: the model's answer holds no program.
 * - `wrong_form`: a program, but not in the asked form (no such function; a function where a program was asked for).
 *
 * The environment's verdicts say nothing about the program; they are stored, retried, and left out of n and c:
 * - `sandbox_failure`: the isolation could not be set up or reported nonsense.
 * - `checker_failure`: the problem's own checker or tests failed to run.
 * - `machine_overloaded`: the machine starved the program of CPU several times over, or of memory within its limit.
 * - `language_missing`: no profile for the language on this machine.
 * - `no_tests`: there is nothing to judge by.
 * - `cancelled`: the judge was told to stop.
 */
export type Verdict = ProgramVerdict | EnvironmentVerdict;

export const programVerdicts = [
  'accepted',
  'wrong_answer',
  'time_limit',
  'memory_limit',
  'output_limit',
  'runtime_error',
  'compile_error',
  'no_code',
  'wrong_form',
] as const;

export const environmentVerdicts = [
  'sandbox_failure',
  'checker_failure',
  'machine_overloaded',
  'language_missing',
  'no_tests',
  'cancelled',
] as const;

/** A verdict about the program: counted. */
export type ProgramVerdict = (typeof programVerdicts)[number];

/** A verdict about the judge's surroundings: never counted. */
export type EnvironmentVerdict = (typeof environmentVerdicts)[number];

/** True when the verdict says something about the program and therefore counts. */
export function isAboutProgram(verdict: Verdict): verdict is ProgramVerdict {
  return (programVerdicts as readonly string[]).includes(verdict);
}
