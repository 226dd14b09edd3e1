import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import type { Activity } from '../activity.ts';
import { classifyFault } from '../faults.ts';
import type { Readiness } from '../running-service.ts';

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

/** Answers are given, not thrown: a service's own filter for exceptions has no say in its health. */
interface Reply {
  status(code: number): unknown;
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
  readyz(@Res({ passthrough: true }) reply: Reply): Readiness {
    const readiness = this.status.readiness();
    if (!readiness.ready) reply.status(503);
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
  async activity(@Res({ passthrough: true }) reply: Reply): Promise<Activity | { message: string }> {
    try {
      return await this.status.activity();
    } catch (error) {
      reply.status(503);
      return { message: classifyFault(error).message };
    }
  }
}
