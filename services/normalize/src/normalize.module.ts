import { Module } from '@nestjs/common';
import { NormalizeProblems } from './normalize-problems.ts';
import { OnProblemRaw } from './on-problem-raw/on-problem-raw.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';

@Module({ controllers: [OnProblemRaw, OnProblemWithdrawn], providers: [NormalizeProblems] })
export class NormalizeModule {}
