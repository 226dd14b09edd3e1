import { Injectable } from '@nestjs/common';
import { CommandOutcome } from '@tidemark/proto';
import {
  classifyFault,
  Every,
  Everywhere,
  InjectConfig,
  InjectLogger,
  KeyedBackoff,
  LeaseKeeper,
  LeaseLostError,
  StageDatabase,
  StageReadiness,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import type { CalibrateConfig } from '../calibrate.config.ts';
import { completeCommand } from '../complete-command.ts';
import { takeStaleCommands } from '../postgres/commands.ts';
import { targetsWithWork } from '../postgres/evaluations.ts';
import { Evaluator } from './evaluator.ts';

const PERIOD_MS = 250;

/** Looks on every replica for targets at an evaluation point; each target is evaluated by the one that owns it. */
@Injectable()
export class EvaluateWhenDue {
  private readonly backoff = new KeyedBackoff({ firstMs: 500, maxMs: 60_000 });
  /** Targets of which readiness says that they can't be evaluated. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly database: StageDatabase,
    private readonly evaluator: Evaluator,
    private readonly leases: LeaseKeeper,
    private readonly readiness: StageReadiness,
    @InjectLogger() private readonly logger: Logger,
    @InjectConfig() private readonly config: CalibrateConfig,
  ) {}

  @Everywhere(PERIOD_MS, 'evaluate-when-due')
  async look(_tick: TimerTick): Promise<void> {
    const targets = await targetsWithWork(this.database);
    // Another replica has done it meanwhile, or what it was due for has gone.
    for (const target of this.failing) if (!targets.includes(target)) this.clear(target);
    for (const target of targets) if (!this.backoff.isWaiting(target)) await this.evaluateIfOwner(target);
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

  /** What goes wrong with one target holds up no other: it is said, and tried again later. */
  private async evaluateIfOwner(target: string): Promise<void> {
    const name = `target:${target}`;
    try {
      const lease = this.leases.held(name) ?? (await this.leases.acquire(name));
      if (lease) await this.evaluator.evaluate(target, lease);
    } catch (error) {
      // The new owner does it.
      if (!(error instanceof LeaseLostError)) {
        const waitMs = this.backoff.failed(target);
        const { message } = classifyFault(error);
        this.failing.add(target);
        this.readiness.set(concernOf(target), `target ${target} cannot be evaluated: ${message}`);
        this.logger.warn({ target, waitMs, error: message }, 'a target cannot be evaluated');
        return;
      }
    }
    this.clear(target);
  }

  private clear(target: string): void {
    this.backoff.succeeded(target);
    this.failing.delete(target);
    this.readiness.clear(concernOf(target));
  }
}

const concernOf = (target: string): string => `evaluation of ${target}`;
