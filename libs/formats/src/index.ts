/** Reading problem and rollout records; `docs/formats.md` defines the formats. */
export { describeFault, type Fault, type FaultCode, type Place, type Warning } from './faults.ts';
export { limits, utf8Length } from './limits.ts';
export { type RecordLine, splitLines } from './lines.ts';
export {
  type IdentifiedRecord,
  identifyProblem,
  type ProblemIdentity,
  problemFormats,
} from './problems/identify-problem.ts';
export { type ParsedProblem, parseProblem } from './problems/parse-problem.ts';
export { type ParsedWithdrawal, parseWithdrawal } from './problems/parse-withdrawal.ts';
export type { ProblemDefaults, ProblemFormat } from './problems/problem-format.ts';
export type {
  OriginKind,
  ProblemFormatName,
  ProblemRecord,
  RecordChecker,
  RecordLimits,
  RecordOrigin,
  RecordSolution,
  RecordTests,
  TaskKind,
  ValidatorProtocol,
} from './problems/problem-record.ts';
export {
  type PackageFiles,
  type PackageOptions,
  type PackageSubmission,
  type PackageTiming,
  type ProblemPackageFormat,
  type ReadPackage,
} from './packages/problem-package.ts';
export { readPackage } from './packages/read-package.ts';
export { type ParsedRollouts, parseRollouts, type RolloutPlace } from './rollouts/parse-rollouts.ts';
export {
  type RecordAttempt,
  type RecordVerdict,
  type RolloutPurpose,
  type RolloutRecord,
  recordVerdicts,
} from './rollouts/rollout-record.ts';
