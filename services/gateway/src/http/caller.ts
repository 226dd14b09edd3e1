import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';
import { GatewayHttp } from './gateway-http.ts';

/** Who speaks: with one token there is one answer. */
@Injectable()
export class Callers {
  constructor(
    private readonly http: GatewayHttp,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  /** Name of the token, or `local`. */
  get name(): string {
    return this.http.hasToken ? this.config.tokenName : 'local';
  }

  /** Whether the caller's own verdicts count. */
  get trustedToGrade(): boolean {
    return this.config.trustedToGrade;
  }
}
