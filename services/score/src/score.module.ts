import { Module } from '@nestjs/common';
import { OnProblemVerified } from './on-problem-verified/on-problem-verified.ts';

/** Verified problems in, predictions out. */
@Module({ controllers: [OnProblemVerified] })
export class ScoreModule {}
