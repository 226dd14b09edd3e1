import type { Activity } from '../activity.ts';
import type { MetricsRegistry } from '../observe/metrics-registry.ts';
import type { ReadinessBoard } from '../observe/readiness-board.ts';
import type { Readiness, RunningService } from '../running-service.ts';
import type { StageStatus } from './status.controller.ts';

/** The status of a service that is still being put together: readiness at once, activity once it runs. */
export class LateStatus implements StageStatus {
  private running: RunningService | undefined;

  constructor(
    private readonly board: ReadinessBoard,
    private readonly registry: MetricsRegistry,
  ) {}

  tell(running: RunningService): void {
    this.running = running;
  }

  readiness(): Readiness {
    return this.board.read();
  }

  metrics(): Promise<string> {
    return this.registry.read();
  }

  async activity(): Promise<Activity> {
    if (this.running === undefined) throw new Error('the service is still starting');
    return await this.running.activity();
  }
}
