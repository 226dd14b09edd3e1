import { Injectable } from '@nestjs/common';
import type { EnvironmentVerdict } from '@tidemark/judging';
import { DependencyFault, InjectConfig, type LeasedJob, StageDatabase } from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import type { Judge } from '../judge/judge.ts';
import { noteSuspicion } from '../postgres/suspicions.ts';
import { decideEnvironment } from './decide-environment.ts';

/** A program that got a verdict of its surroundings. */
export type Suspect = {
  readonly job: Pick<LeasedJob<unknown>, 'kind' | 'key'>;
  /** Names the program within the job, for example by its hash. */
  readonly program: string;
  readonly language: string;
  readonly verdict: EnvironmentVerdict;
  readonly detail: string;
};

/**
 * Tells a machine that fails from a program that breaks it. While the sandbox fails, work waits; a program that breaks
 * a sandbox in which a known-good one passes must not be tried for ever.
 */
@Injectable()
export class Suspicions {
  constructor(
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: ExecuteConfig,
  ) {}

  /**
   * Returns when the verdict stands: it is the program's doing, or would be the same again.
   *
   * @throws DependencyFault when the work has to be done again later
   */
  async settle(suspect: Suspect, judge: Judge, signal: AbortSignal): Promise<void> {
    const { verdict, detail, job, program, language } = suspect;
    const decision = decideEnvironment(verdict);
    if (decision === 'stands') return;
    const failure = `${verdict.replaceAll('_', ' ')}: ${detail}`;
    if (decision === 'wait' || !(await judge.passesKnownGood(language, signal))) {
      throw new DependencyFault('judge', failure);
    }
    const occasions = await noteSuspicion(this.database, job, program, detail, this.config.suspicionGapMs);
    if (occasions >= this.config.maxSuspicions) return;
    const count = `${occasions} of ${this.config.maxSuspicions} times`;
    throw new DependencyFault('judge', `${failure} (${count} where a known-good program passed)`);
  }
}
