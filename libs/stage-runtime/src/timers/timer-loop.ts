import type { StageTransaction } from '../api.ts';
import { backoffMs } from '../backoff.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import type { TimerTick } from '../every.ts';
import { causeOfRetry, classifyFault } from '../faults.ts';
import { errorFields } from '../observe/logger.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';

interface Timer {
  readonly name: string;
  readonly periodMs: number;
}

/** A method that `@Every` marks: each turn is a transaction. */
export interface TransactionTimer extends Timer {
  readonly kind: 'transaction';
  readonly onEveryReplica: boolean;
  turn(tick: TimerTick, tx: StageTransaction): Promise<void>;
}

/** A method that `@Everywhere` marks: it opens its own transactions, on every replica. */
export interface OutsideTimer extends Timer {
  readonly kind: 'outside';
  turn(tick: TimerTick): Promise<void>;
}

export type TimerWork = TransactionTimer | OutsideTimer;

/** Runs one timer. The row of the timer, locked for the turn, is what keeps a second replica from the same turn. */
export class TimerLoop {
  private running: Promise<void> | undefined;
  private ownTick = 0n;

  constructor(
    private readonly parts: StageParts,
    private readonly work: TimerWork,
  ) {}

  start(): void {
    this.running = this.loop();
  }

  /** Waits for the turn in hand. */
  async stop(): Promise<void> {
    await this.running;
  }

  private async loop(): Promise<void> {
    const { ended, board, logger, backoff, metrics } = this.parts;
    const concern = `timer ${this.work.name}`;
    for (let failures = 0; !ended.aborted; ) {
      try {
        const waitMs = await this.turn(this.work);
        failures = 0;
        board.clear(concern);
        await sleep(waitMs, ended);
      } catch (error) {
        if (ended.aborted) return;
        const waitMs = backoffMs(++failures, backoff);
        const fault = classifyFault(error);
        board.set(concern, `${concern} fails: ${fault.message}`);
        metrics.retries.inc({ part: 'timer', name: this.work.name, cause: causeOfRetry(fault) });
        logger.warn({ timer: this.work.name, failures, waitMs, ...errorFields(error) }, 'timer failed');
        await sleep(waitMs, ended);
      }
    }
  }

  /** @returns how long to wait, in ms */
  private async turn(work: TimerWork): Promise<number> {
    if (work.kind === 'transaction' && !work.onEveryReplica) return await this.sharedTurn(work);
    const { replica } = this.parts.identity;
    const tick = this.ownTick++;
    if (work.kind === 'outside') await work.turn(this.tickOf(replica, tick));
    else await this.run((open) => this.turnIn(open, work, replica, tick));
    return work.periodMs;
  }

  /** @returns how long to wait, in ms: less than a period when the turn is another replica's or not due yet */
  private async sharedTurn(work: TransactionTimer): Promise<number> {
    return await this.run(async (open) => {
      await open.query('INSERT INTO timers (name) VALUES ($1) ON CONFLICT DO NOTHING', [work.name]);
      const [row] = await open.query<{ tick: bigint; wait_ms: number }>(
        `SELECT tick, extract(epoch FROM due_at - clock_timestamp())::float8 * 1000 AS wait_ms
         FROM timers WHERE name = $1 FOR UPDATE SKIP LOCKED`,
        [work.name],
      );
      if (row === undefined) return work.periodMs;
      if (row.wait_ms > 0) return Math.min(row.wait_ms, work.periodMs);
      await this.turnIn(open, work, '', row.tick);
      await open.query(
        `UPDATE timers SET tick = tick + 1, due_at = clock_timestamp() + $2 * interval '1 ms' WHERE name = $1`,
        [work.name, work.periodMs],
      );
      return work.periodMs;
    });
  }

  private run<T>(work: (open: OpenTransaction) => Promise<T>): Promise<T> {
    return this.parts.transactions.run(this.handler, work);
  }

  private async turnIn(open: OpenTransaction, work: TransactionTimer, key: string, tick: bigint): Promise<void> {
    const tx = new StageWork(open, this.parts, this.handler);
    await work.turn(this.tickOf(key, tick), tx);
    await tx.finish();
  }

  private tickOf(key: string, tick: bigint): TimerTick {
    return { id: `${this.work.name}/${key}/${tick}`, traceparent: undefined, tick };
  }

  private get handler(): string {
    return `${this.parts.identity.service}/timer/${this.work.name}`;
  }
}
