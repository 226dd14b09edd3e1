import { Purpose, Verdict } from './generated/tidemark/rollout/v1/rollout_pb.ts';

/** What a verdict says about the model; `unknown` for one of a later release, whatever its number. */
export function findingOf(verdict: Verdict): 'pass' | 'fail' | 'environment' | 'unknown' {
  switch (verdict) {
    case Verdict.ACCEPTED:
      return 'pass';
    case Verdict.WRONG_ANSWER:
    case Verdict.TIME_LIMIT:
    case Verdict.MEMORY_LIMIT:
    case Verdict.OUTPUT_LIMIT:
    case Verdict.RUNTIME_ERROR:
    case Verdict.COMPILE_ERROR:
    case Verdict.NO_CODE:
    case Verdict.WRONG_FORM:
      return 'fail';
    case Verdict.SANDBOX_FAILURE:
    case Verdict.CHECKER_FAILURE:
    case Verdict.MACHINE_OVERLOADED:
    case Verdict.LANGUAGE_MISSING:
    case Verdict.CANCELLED:
      return 'environment';
    default:
      return 'unknown';
  }
}

/**
 * What a graded group counts for; undefined for a purpose of a later release. A held-out problem counts for the exam
 * alone, whatever the group says of itself.
 */
export function purposeInForce(purpose: Purpose, heldOut: boolean): Purpose | undefined {
  switch (purpose) {
    case Purpose.UNSPECIFIED:
    case Purpose.TRAIN:
      return heldOut ? Purpose.EVALUATE : Purpose.TRAIN;
    case Purpose.CALIBRATE:
      return heldOut ? Purpose.EVALUATE : Purpose.CALIBRATE;
    case Purpose.EVALUATE:
    case Purpose.CANARY:
      return purpose;
    default:
      return undefined;
  }
}

/** Posteriors read what trainers and the panel measured, never what an exam or a canary did. */
export function isEvidence(purpose: Purpose): boolean {
  return purpose === Purpose.TRAIN || purpose === Purpose.CALIBRATE;
}
