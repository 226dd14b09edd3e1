import { Module } from '@nestjs/common';
import { OnCheckpointAdvanced } from './on-checkpoint-advanced/on-checkpoint-advanced.ts';
import { OnProblemIntake } from './on-problem-intake/on-problem-intake.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { OnRolloutsIntake } from './on-rollouts-intake/on-rollouts-intake.ts';
import { OnTargetDeclared } from './on-target-declared/on-target-declared.ts';
import { ParkedGroups } from './parked-groups/parked-groups.ts';

@Module({
  controllers: [OnProblemIntake, OnProblemWithdrawn, OnRolloutsIntake, OnTargetDeclared, OnCheckpointAdvanced],
  providers: [ParkedGroups],
})
export class IngestModule {}
