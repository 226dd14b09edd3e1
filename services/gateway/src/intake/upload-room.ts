import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';
import { HttpProblem } from '../http/http-problem.ts';

/** Uploads in hand, by whichever door they come: each holds memory or disk. */
@Injectable()
export class UploadRoom {
  private inHand = 0;

  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  /** @returns gives the place free, once @throws HttpProblem 429 */
  take(): () => void {
    if (this.inHand >= this.config.maxUploads) {
      throw new HttpProblem({
        status: 429,
        code: 'too_many_uploads',
        what: `${this.inHand} uploads are in hand, which is the limit.`,
        todo: 'Wait a few seconds and send it again.',
        retryAfterSeconds: 5,
      });
    }
    this.inHand += 1;
    let held = true;
    return () => {
      if (held) this.inHand -= 1;
      held = false;
    };
  }
}
