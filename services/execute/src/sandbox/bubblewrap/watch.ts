import type { Limits, StopReason } from '@tidemark/judging';

/** How often a run's use is read. */
const READING_MS = 20;
/** Waiting for a processor is read less often: it costs one file a task. */
const READINGS_PER_WAIT_READING = 5;
/** A run that waited so many times its wall limit is given up as starved. */
const STARVED_FACTOR = 10;
const SETUP_MS = 30_000;

/** A run as its watch sees it. */
export type Watched = {
  /** When its sandbox was asked for, by `performance.now()`. */
  readonly startedAt: number;
  /** Whether the program itself has begun. */
  hasStarted(): boolean;
  cpuTimeMs(): number;
  waitedMs(): number;
  stop(reason: StopReason): void;
};

/** Stops a run at its limits of CPU and wall time; time in which it waited for a processor does not count. */
export class Watch {
  private readonly timer: NodeJS.Timeout;
  private last = performance.now();
  /** When the program was first seen to have begun. */
  private begunAt: number | undefined;
  private lateMs = 0;
  private waitedMs = 0;
  private count = 0;

  constructor(
    private readonly limits: Limits,
    private readonly run: Watched,
  ) {
    this.timer = setInterval(() => this.look(), READING_MS);
  }

  end(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { run, limits } = this;
    const now = performance.now();
    // When our own timer is late, the judge was starved too, and the program may have waited for us.
    this.lateMs += Math.max(0, now - this.last - 2 * READING_MS);
    this.last = now;
    if (run.cpuTimeMs() > limits.cpuTimeMs) return run.stop('cpu');
    if (this.count++ % READINGS_PER_WAIT_READING === 0) this.waitedMs = run.waitedMs();
    if (!run.hasStarted()) {
      // What holds up the sandbox is not the program's doing.
      if (now - run.startedAt > SETUP_MS) run.stop('starved');
      return;
    }
    this.begunAt ??= now;
    const wallMs = now - this.begunAt;
    if (wallMs - this.waitedMs - this.lateMs > limits.wallTimeMs) return run.stop('wall');
    if (wallMs > limits.wallTimeMs * STARVED_FACTOR) return run.stop('starved');
  }
}
