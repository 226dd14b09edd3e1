import { Injectable } from '@nestjs/common';
import { Every, InjectConfig, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import type { CalibrateConfig } from '../calibrate.config.ts';
import { closeWindows, forgetOldRegrades } from '../postgres/windows.ts';

/** Forgets the ids of groups whose window is over; from then on groups of that window are refused as late. */
@Injectable()
export class CloseWindows {
  constructor(@InjectConfig() private readonly config: CalibrateConfig) {}

  @Every(60_000, { name: 'close-windows' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await closeWindows(tx, this.config.windowHours);
    await forgetOldRegrades(tx, this.config.windowHours);
  }
}
