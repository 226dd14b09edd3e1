import type { Moment } from '../moments.ts';

/** Thrown where a service is made to crash. */
class Crash extends Error {
  constructor(moment: Moment) {
    super(`crashed ${moment}`);
    this.name = 'Crash';
  }
}

/** Ends the service when a moment comes. */
export class Crashes {
  private wanted: { moment: Moment; times: number; died: () => void } | undefined;

  constructor(private readonly kill: () => Promise<void>) {}

  /** Resolves when the service has died at the moment, the `times`-th time that it comes. */
  next(moment: Moment, times: number): Promise<void> {
    return new Promise((resolve) => {
      this.wanted = { moment, times, died: resolve };
    });
  }

  reached(moment: Moment): void {
    const wanted = this.wanted;
    if (wanted?.moment !== moment || --wanted.times > 0) return;
    this.wanted = undefined;
    // Everything stops moving at once; what waits for connections to close comes after.
    void this.kill().then(wanted.died);
    throw new Crash(moment);
  }
}
