import { Module } from '@nestjs/common';
import { CuratedTopics } from './curated-topics.ts';
import { ForgetLeases } from './next-batch/forget-leases.ts';
import { NextBatch } from './next-batch/next-batch.ts';
import { SelectServer } from './next-batch/select-server.ts';
import { OnCalibrationPublished } from './on-calibration-published/on-calibration-published.ts';
import { OnCheckpointAdvanced } from './on-checkpoint-advanced/on-checkpoint-advanced.ts';
import { OnDifficultyEstimated } from './on-difficulty-estimated/on-difficulty-estimated.ts';
import { OnPanelDrawn } from './on-panel-drawn/on-panel-drawn.ts';
import { OnProblemScored } from './on-problem-scored/on-problem-scored.ts';
import { OnProblemUnique } from './on-problem-unique/on-problem-unique.ts';
import { OnProblemVerified } from './on-problem-verified/on-problem-verified.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { OnRolloutsGraded } from './on-rollouts-graded/on-rollouts-graded.ts';
import { OnTargetDeclared } from './on-target-declared/on-target-declared.ts';
import { Reselect } from './reselect/reselect.ts';
import { Staleness } from './reselect/staleness.ts';

@Module({
  controllers: [
    OnProblemUnique,
    OnProblemVerified,
    OnProblemScored,
    OnProblemWithdrawn,
    OnTargetDeclared,
    OnCheckpointAdvanced,
    OnCalibrationPublished,
    OnPanelDrawn,
    OnDifficultyEstimated,
    OnRolloutsGraded,
  ],
  providers: [CuratedTopics, Reselect, Staleness, NextBatch, ForgetLeases, SelectServer],
})
export class SelectModule {}
