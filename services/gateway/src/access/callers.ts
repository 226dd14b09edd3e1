import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type HttpOptions, InjectConfig, InjectHttpOptions } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';
import type { Caller } from './caller.ts';
import { Tokens } from './tokens.ts';

/** Name of who speaks without a token, which is this machine's user. */
export const LOCAL_NAME = 'local';

export type Identified =
  | { readonly kind: 'known'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly code: string; readonly what: string; readonly todo: string };

/** Finds out who speaks, by the token that was given. */
@Injectable()
export class Callers {
  private readonly firstToken: ((given: string) => boolean) | undefined;

  constructor(
    @InjectHttpOptions() http: HttpOptions | undefined,
    @InjectConfig() private readonly config: GatewayConfig,
    private readonly tokens: Tokens,
  ) {
    this.firstToken = http?.accessToken === undefined ? undefined : constantTimeMatch(http.accessToken);
  }

  /** True when the gateway was started with a token: then nobody is let in without one. */
  get needToken(): boolean {
    return this.firstToken !== undefined;
  }

  /** @param authorization the header, as it came */
  async identify(authorization: string | undefined): Promise<Identified> {
    if (authorization === undefined && !this.needToken) return { kind: 'known', caller: this.own(LOCAL_NAME) };
    const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1];
    if (given === undefined) {
      return {
        kind: 'refused',
        code: 'token_missing',
        what: 'This gateway wants an access token.',
        todo: 'Send the header "Authorization: Bearer <token>" (the command line reads TIDEMARK_ACCESS_TOKEN).',
      };
    }
    if (this.firstToken?.(given) === true) return { kind: 'known', caller: this.own(this.config.tokenName) };
    const caller = await this.tokens.bearerOf(given, performance.now());
    if (caller !== undefined) return { kind: 'known', caller };
    return {
      kind: 'refused',
      code: 'token_wrong',
      what: 'The access token is not known here, was revoked, or has expired.',
      todo: 'Check the token; an operator makes new ones by "tidemark token create".',
    };
  }

  /** The operator: this machine's user, or who bears the token that the gateway was started with. */
  private own(name: string): Caller {
    return {
      name,
      tokenId: undefined,
      roles: new Set(['operator']),
      targets: new Set(),
      trustedToGrade: this.config.trustedToGrade,
      mayReview: this.config.consoleReview ?? !this.needToken,
      limitedAs: name === LOCAL_NAME ? undefined : 'first token',
    };
  }
}

/** Compares hashes, so that neither the content nor the length of the token shows in the time taken. */
function constantTimeMatch(token: string): (given: string) => boolean {
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  const expected = hashOf(token);
  return (given) => timingSafeEqual(hashOf(given), expected);
}
