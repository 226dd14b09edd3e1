export { Judge, type JudgeOptions, type JudgeResult, type Submission } from './judge/judge.ts';
export type { LanguageProfile } from './languages/language-profile.ts';
export { PythonProfile } from './languages/python/python-profile.ts';
export { BubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';
export type { Sandbox, SandboxReport } from './sandbox/sandbox.ts';
