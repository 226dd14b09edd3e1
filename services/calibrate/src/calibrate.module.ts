import { Module } from '@nestjs/common';
import { EvaluateWhenDue } from './evaluate/evaluate-when-due.ts';
import { Evaluator } from './evaluate/evaluator.ts';
import { EvidenceAge } from './evaluate/evidence-age.ts';
import { CloseWindows } from './housekeeping/close-windows.ts';
import { PendingEvaluations } from './housekeeping/pending-evaluations.ts';
import { RetakeParked } from './housekeeping/retake-parked.ts';
import { Measure } from './measure/measure.ts';
import { OnCheckpointAdvanced } from './on-checkpoint-advanced/on-checkpoint-advanced.ts';
import { OnCommandCompleted } from './on-command-completed/on-command-completed.ts';
import { OnCommandRequested } from './on-command-requested/on-command-requested.ts';
import { OnProblemScored } from './on-problem-scored/on-problem-scored.ts';
import { OnProblemUnique } from './on-problem-unique/on-problem-unique.ts';
import { OnProblemVerified } from './on-problem-verified/on-problem-verified.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { OnRolloutsGraded } from './on-rollouts-graded/on-rollouts-graded.ts';
import { OnSuiteChanged } from './on-suite-changed/on-suite-changed.ts';
import { OnTargetDeclared } from './on-target-declared/on-target-declared.ts';

/** Evidence in, evaluation points out. */
@Module({
  controllers: [
    OnCheckpointAdvanced,
    OnCommandCompleted,
    OnCommandRequested,
    OnProblemScored,
    OnProblemUnique,
    OnProblemVerified,
    OnProblemWithdrawn,
    OnRolloutsGraded,
    OnSuiteChanged,
    OnTargetDeclared,
  ],
  providers: [CloseWindows, EvaluateWhenDue, Evaluator, EvidenceAge, Measure, PendingEvaluations, RetakeParked],
})
export class CalibrateModule {}
