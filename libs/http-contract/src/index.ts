export { type Answer, fitAnswer, UnfitAnswerError } from './fit-answer.ts';
export {
  benchmarksSchema,
  deadLettersPageSchema,
  problemsPageSchema,
  targetsSchema,
  topicsSchema,
} from './lists.ts';
export {
  type ServiceState,
  type StateCount,
  type Status,
  statusSchema,
  type TargetCounts,
} from './status.ts';
export { type Submissions, submissionsSchema } from './submissions.ts';
