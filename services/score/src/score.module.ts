import { Module } from '@nestjs/common';
import { OnProblemVerified } from './on-problem-verified/on-problem-verified.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { ScoreProblems } from './score-problems.ts';

/** Verified problems in, predictions out. */
@Module({ controllers: [OnProblemVerified, OnProblemWithdrawn], providers: [ScoreProblems] })
export class ScoreModule {}
