import { backoffMs, type BackoffOptions } from './backoff.ts';

/** Which of several things that are tried in turn have to wait, because they failed: the others go on meanwhile. */
export class KeyedBackoff {
  private readonly failing = new Map<string, { failures: number; untilMs: number }>();

  constructor(private readonly options: BackoffOptions) {}

  isWaiting(key: string, nowMs = performance.now()): boolean {
    return (this.failing.get(key)?.untilMs ?? 0) > nowMs;
  }

  /** @returns how long it waits now, in ms */
  failed(key: string, nowMs = performance.now()): number {
    const failures = (this.failing.get(key)?.failures ?? 0) + 1;
    const waitMs = backoffMs(failures, this.options);
    this.failing.set(key, { failures, untilMs: nowMs + waitMs });
    return waitMs;
  }

  succeeded(key: string): void {
    this.failing.delete(key);
  }
}
