import { Module } from '@nestjs/common';
import { OnProblemRaw } from './on-problem-raw/on-problem-raw.ts';

@Module({ controllers: [OnProblemRaw] })
export class NormalizeModule {}
