import { Injectable } from '@nestjs/common';

const WINDOW_SECONDS = 30;

/** What passes through this replica per second, over the last half minute. */
@Injectable()
export class Rates {
  private readonly bySecond = new Map<string, Map<number, number>>();

  /** @param now in ms since 1970 */
  count(what: string, amount: number, now = Date.now()): void {
    if (amount === 0) return;
    const second = Math.floor(now / 1_000);
    const seconds = this.bySecond.get(what) ?? new Map<number, number>();
    seconds.set(second, (seconds.get(second) ?? 0) + amount);
    for (const old of seconds.keys()) if (old <= second - WINDOW_SECONDS) seconds.delete(old);
    this.bySecond.set(what, seconds);
  }

  /** Events per second by name; what has not been seen for half a minute is 0. */
  perSecond(now = Date.now()): Readonly<Record<string, number>> {
    const oldest = Math.floor(now / 1_000) - WINDOW_SECONDS;
    return Object.fromEntries(
      [...this.bySecond].map(([what, seconds]) => {
        const recent = [...seconds].filter(([second]) => second > oldest).map(([, amount]) => amount);
        return [what, recent.reduce((sum, amount) => sum + amount, 0) / WINDOW_SECONDS];
      }),
    );
  }
}
