import { Module } from '@nestjs/common';
import { Reconciler } from './clusters/reconciler.ts';
import { OnBenchmarkChanged } from './on-benchmark-changed/on-benchmark-changed.ts';
import { OnProblemNormalized } from './on-problem-normalized/on-problem-normalized.ts';
import { OnProblemStatus } from './on-problem-status/on-problem-status.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { Rescan } from './rescan/rescan.ts';

@Module({
  controllers: [OnProblemNormalized, OnBenchmarkChanged, OnProblemStatus, OnProblemWithdrawn],
  providers: [Reconciler, Rescan],
})
export class DedupModule {}
