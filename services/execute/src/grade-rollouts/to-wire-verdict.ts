import type { Verdict } from '@tidemark/judging';
import { Verdict as WireVerdict } from '@tidemark/proto';

const WIRE: Readonly<Record<Verdict, WireVerdict>> = {
  accepted: WireVerdict.ACCEPTED,
  wrong_answer: WireVerdict.WRONG_ANSWER,
  time_limit: WireVerdict.TIME_LIMIT,
  memory_limit: WireVerdict.MEMORY_LIMIT,
  output_limit: WireVerdict.OUTPUT_LIMIT,
  runtime_error: WireVerdict.RUNTIME_ERROR,
  compile_error: WireVerdict.COMPILE_ERROR,
  no_code: WireVerdict.NO_CODE,
  wrong_form: WireVerdict.WRONG_FORM,
  sandbox_failure: WireVerdict.SANDBOX_FAILURE,
  checker_failure: WireVerdict.CHECKER_FAILURE,
  machine_overloaded: WireVerdict.MACHINE_OVERLOADED,
  language_missing: WireVerdict.LANGUAGE_MISSING,
  // A suite without tests fails to check; the contract has no word of its own for it.
  no_tests: WireVerdict.CHECKER_FAILURE,
  cancelled: WireVerdict.CANCELLED,
};

export function toWireVerdict(verdict: Verdict): WireVerdict {
  return WIRE[verdict];
}

/** Values from here on say nothing about the model. */
const FIRST_ENVIRONMENT_VERDICT = 32;

export function saysNothingOfTheModel(verdict: WireVerdict): boolean {
  return Number(verdict) >= FIRST_ENVIRONMENT_VERDICT;
}
