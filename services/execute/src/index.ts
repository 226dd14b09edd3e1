import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { executeConfig } from './execute.config.ts';
import { ExecuteModule } from './execute.module.ts';
import { migrations } from './postgres/migrations.ts';

/** Runs programs that nobody trusts, and says what each earned. */
export const executeService = defineService({
  name: 'execute',
  configSchema: executeConfig,
  module: ExecuteModule,
  migrations,
  topics: [
    topics.problemsUnique,
    topics.problemsVerified,
    topics.problemsStatus,
    topics.problemsWithdrawn,
    topics.suitesChanged,
    topics.targetsDeclared,
    topics.rolloutsSubmitted,
    topics.rolloutsGraded,
  ],
});

export { BuildCache } from './judge/build-cache.ts';
export { type OpenedJudge, type OpenJudgeOptions, openJudge } from './judge/open-judge.ts';
export { detectLanguages, KNOWN_LANGUAGES, type LanguageOptions } from './languages/detect-languages.ts';
export { Judge, type JudgeOptions, type JudgeResult, type Submission } from './judge/judge.ts';
export type { LanguageProfile, SourceUnit } from './languages/language-profile.ts';
export { PythonProfile } from './languages/python/python-profile.ts';
export { WarmSandbox } from './sandbox/warm/warm-sandbox.ts';
export { BubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';
export { toForm, UnusableSuiteError } from './suite/to-form.ts';
export { toLimits } from './suite/limits.ts';
export { completeSuite } from './verify-problem/complete-suite.ts';
export type { Sandbox, SandboxReport } from './sandbox/sandbox.ts';
