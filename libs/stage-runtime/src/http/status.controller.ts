import { Controller, Get, Header, Inject, ServiceUnavailableException } from '@nestjs/common';
import type { Activity } from '../activity.ts';
import { classifyFault } from '../faults.ts';
import type { Readiness } from '../run-service.ts';

export const STAGE_STATUS = Symbol('stage status');

/** Injects what the running service tells of itself. */
export const InjectStageStatus = (): ParameterDecorator => Inject(STAGE_STATUS);

/** What the running service tells of itself. */
export interface StageStatus {
  readiness(): Readiness;
  activity(): Promise<Activity>;
  /** In Prometheus' text format, of every service of the process. */
  metrics(): Promise<string>;
}

@Controller()
export class StatusController {
  constructor(@Inject(STAGE_STATUS) private readonly status: StageStatus) {}

  /** The process answers. */
  @Get('livez')
  livez(): { alive: true } {
    return { alive: true };
  }

  /** 200 when everything it depends on is there, otherwise 503 with the reasons. */
  @Get('readyz')
  readyz(): Readiness {
    const readiness = this.status.readiness();
    if (!readiness.ready) throw new ServiceUnavailableException(readiness);
    return readiness;
  }

  /** What Prometheus scrapes. */
  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.status.metrics();
  }

  /** What is in hand; 503 while it cannot be counted. */
  @Get('activity')
  async activity(): Promise<Activity> {
    try {
      return await this.status.activity();
    } catch (error) {
      throw new ServiceUnavailableException({ message: classifyFault(error).message });
    }
  }
}
