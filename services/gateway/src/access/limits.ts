/** What one token may ask for. */
export interface Limits {
  /** Requests a second, on average. */
  readonly perSecond: number;
  /** Requests in hand at once, streams among them. */
  readonly atOnce: number;
}

export type Room =
  | { readonly kind: 'taken'; readonly release: () => void }
  | { readonly kind: 'too often' | 'too many at once'; readonly retryAfterSeconds: number };

interface Use {
  /** Requests that may come at once; grows with time up to twice the rate. */
  allowance: number;
  countedAtMs: number;
  inHand: number;
}

/** Seconds of the rate that may come in one burst. */
const BURST_SECONDS = 2;
const BUSY_RETRY_SECONDS = 5;
/** Users that are remembered; the least recently seen without requests in hand are forgotten beyond it. */
const REMEMBERED = 10_000;

/** Counts requests by who sends them: a bucket that fills at the rate, and places at once. Per replica. */
export class Limiter {
  private readonly uses = new Map<string, Use>();

  constructor(private readonly limits: Limits) {}

  /** @param nowMs a clock that never goes back */
  take(user: string, nowMs: number): Room {
    const use = this.useOf(user, nowMs);
    if (use.inHand >= this.limits.atOnce) return { kind: 'too many at once', retryAfterSeconds: BUSY_RETRY_SECONDS };
    if (use.allowance < 1) {
      return { kind: 'too often', retryAfterSeconds: Math.ceil((1 - use.allowance) / this.limits.perSecond) };
    }
    use.allowance -= 1;
    use.inHand += 1;
    let released = false;
    return {
      kind: 'taken',
      release: () => {
        if (!released) use.inHand -= 1;
        released = true;
      },
    };
  }

  private useOf(user: string, nowMs: number): Use {
    const burst = Math.max(1, BURST_SECONDS * this.limits.perSecond);
    const known = this.uses.get(user);
    this.uses.delete(user);
    const use = known ?? { allowance: burst, countedAtMs: nowMs, inHand: 0 };
    use.allowance = Math.min(burst, use.allowance + ((nowMs - use.countedAtMs) / 1_000) * this.limits.perSecond);
    use.countedAtMs = nowMs;
    this.uses.set(user, use);
    if (this.uses.size > REMEMBERED) this.forgetOne();
    return use;
  }

  private forgetOne(): void {
    for (const [user, { inHand }] of this.uses) {
      if (inHand > 0) continue;
      this.uses.delete(user);
      return;
    }
  }
}
