import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';
import { GatewayHttp } from '../http/gateway-http.ts';

/** Whether callers may see what no trainer may: hidden tests, held-out statements, what programs printed. */
@Injectable()
export class Reviewing {
  readonly whyNot =
    'Hidden tests are not shown: whoever bears this gateway’s token could train on them. TIDEMARK_GATEWAY_CONSOLE_REVIEW=true shows them.';

  constructor(
    private readonly http: GatewayHttp,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  get allowed(): boolean {
    return this.config.consoleReview ?? !this.http.hasToken;
  }
}
