import { StageReadiness } from '../injectables.ts';
import type { Readiness } from '../running-service.ts';

/** Reasons why the service is not ready, by what they concern; empty means ready. */
export class ReadinessBoard extends StageReadiness {
  private readonly reasons = new Map<string, string>([['start', 'starting']]);

  override set(concern: string, reason: string): void {
    this.reasons.set(concern, reason);
  }

  override clear(concern: string): void {
    this.reasons.delete(concern);
  }

  read(): Readiness {
    return { ready: this.reasons.size === 0, reasons: [...this.reasons.values()] };
  }
}
