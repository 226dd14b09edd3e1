import { Injectable } from '@nestjs/common';
import { Every, InjectConfig, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import { ageRequests } from '../postgres/requests.ts';
import type { SampleConfig } from '../sample.config.ts';

/** Requests do not wait for ever, and those that ended are not kept for ever. */
@Injectable()
export class AgeRequests {
  constructor(@InjectConfig() private readonly config: SampleConfig) {}

  @Every(60_000, { name: 'age-requests' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await ageRequests(tx, this.config.waitingHours);
  }
}
