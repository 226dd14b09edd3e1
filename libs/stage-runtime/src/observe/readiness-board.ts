import type { Readiness } from '../run-service.ts';

/** Reasons why the service is not ready, by what they concern; empty means ready. */
export class ReadinessBoard {
  private readonly reasons = new Map<string, string>([['start', 'starting']]);

  set(concern: string, reason: string): void {
    this.reasons.set(concern, reason);
  }

  clear(concern: string): void {
    this.reasons.delete(concern);
  }

  read(): Readiness {
    return { ready: this.reasons.size === 0, reasons: [...this.reasons.values()] };
  }
}
