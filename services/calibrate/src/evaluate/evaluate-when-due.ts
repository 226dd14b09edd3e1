import { Injectable } from '@nestjs/common';
import { CommandOutcome } from '@tidemark/proto';
import {
  Every,
  InjectConfig,
  LeaseKeeper,
  LeaseLostError,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import type { CalibrateConfig } from '../calibrate.config.ts';
import { completeCommand } from '../complete-command.ts';
import { takeStaleCommands } from '../postgres/commands.ts';
import { targetsWithWork } from '../postgres/evaluations.ts';
import { Evaluator } from './evaluator.ts';

const PERIOD_MS = 250;

/** Looks on every replica for targets at an evaluation point; each target is evaluated by the one that owns it. */
@Injectable()
export class EvaluateWhenDue {
  constructor(
    private readonly evaluator: Evaluator,
    private readonly leases: LeaseKeeper,
    @InjectConfig() private readonly config: CalibrateConfig,
  ) {}

  @Every(PERIOD_MS, { name: 'evaluate-when-due', onEveryReplica: true })
  async look(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    for (const target of await targetsWithWork(tx)) await this.evaluateIfOwner(target);
  }

  /** A command may arrive before the declaration of its target, but not long before. */
  @Every(1000, { name: 'refuse-stale-commands' })
  async refuseStale(tick: TimerTick, tx: StageTransaction): Promise<void> {
    for (const { commandId, target } of await takeStaleCommands(tx, this.config.commandPatienceSeconds))
      completeCommand(tx, tick, commandId, {
        outcome: CommandOutcome.REFUSED,
        message: `No target ${target} is declared.`,
      });
  }

  private async evaluateIfOwner(target: string): Promise<void> {
    const name = `target:${target}`;
    const lease = this.leases.held(name) ?? (await this.leases.acquire(name));
    if (!lease) return;
    try {
      await this.evaluator.evaluate(target, lease);
    } catch (error) {
      // The new owner does it.
      if (!(error instanceof LeaseLostError)) throw error;
    }
  }
}
