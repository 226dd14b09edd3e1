import { Module } from '@nestjs/common';
import { GradeRollouts } from './grade-rollouts/grade-rollouts.ts';
import { JudgeHost } from './judging/judge-host.ts';
import { Suspicions } from './judging/suspicions.ts';
import { WaitingForLanguage } from './missing-languages/waiting-for-language.ts';
import { OnProblemStatus } from './on-problem-status/on-problem-status.ts';
import { OnProblemUnique } from './on-problem-unique/on-problem-unique.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { OnRolloutsSubmitted } from './on-rollouts-submitted/on-rollouts-submitted.ts';
import { OnTargetDeclared } from './on-target-declared/on-target-declared.ts';
import { ForgetFailures } from './housekeeping/forget-failures.ts';
import { ParkedGroups } from './parked-groups/parked-groups.ts';
import { VerifyProblem } from './verify-problem/verify-problem.ts';

/** Problems and attempts in, verdicts out. */
@Module({
  controllers: [OnProblemStatus, OnProblemUnique, OnProblemWithdrawn, OnTargetDeclared, OnRolloutsSubmitted],
  providers: [JudgeHost, Suspicions, VerifyProblem, GradeRollouts, ParkedGroups, WaitingForLanguage, ForgetFailures],
})
export class ExecuteModule {}
