import type { StageTransaction } from '../api.ts';
import { backoffMs } from '../backoff.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import type { TimerTick } from '../every.ts';
import { causeOfRetry, classifyFault } from '../faults.ts';
import { errorFields } from '../observe/logger.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';

/** A method that `@Every` marks. */
export interface TimerWork {
  readonly name: string;
  readonly periodMs: number;
  readonly onEveryReplica: boolean;
  turn(tick: TimerTick, tx: StageTransaction): Promise<void>;
}

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
        const waitMs = this.work.onEveryReplica ? await this.ownTurn() : await this.sharedTurn();
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
  private async ownTurn(): Promise<number> {
    const tick = this.ownTick++;
    await this.run((open) => this.turnIn(open, this.parts.identity.replica, tick));
    return this.work.periodMs;
  }

  /** @returns how long to wait, in ms: less than a period when the turn is another replica's or not due yet */
  private async sharedTurn(): Promise<number> {
    return await this.run(async (open) => {
      await open.query('INSERT INTO timers (name) VALUES ($1) ON CONFLICT DO NOTHING', [this.work.name]);
      const [row] = await open.query<{ tick: bigint; wait_ms: number }>(
        `SELECT tick, extract(epoch FROM due_at - clock_timestamp())::float8 * 1000 AS wait_ms
         FROM timers WHERE name = $1 FOR UPDATE SKIP LOCKED`,
        [this.work.name],
      );
      if (row === undefined) return this.work.periodMs;
      if (row.wait_ms > 0) return Math.min(row.wait_ms, this.work.periodMs);
      await this.turnIn(open, '', row.tick);
      await open.query(
        `UPDATE timers SET tick = tick + 1, due_at = clock_timestamp() + $2 * interval '1 ms' WHERE name = $1`,
        [this.work.name, this.work.periodMs],
      );
      return this.work.periodMs;
    });
  }

  private run<T>(work: (open: OpenTransaction) => Promise<T>): Promise<T> {
    return this.parts.transactions.run(this.handler, work);
  }

  private async turnIn(open: OpenTransaction, key: string, tick: bigint): Promise<void> {
    const work = new StageWork(open, this.parts, this.handler);
    const cause = { id: `${this.work.name}/${key}/${tick}`, traceparent: undefined };
    await this.work.turn({ ...cause, tick }, work);
    await work.finish();
  }

  private get handler(): string {
    return `${this.parts.identity.service}/timer/${this.work.name}`;
  }
}
