import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { AuditLog } from './audit-log.ts';
import type { Caller } from './caller.ts';
import { Callers } from './callers.ts';
import { decideLoopback, type LoopbackRequest } from './decide-loopback.ts';
import { decidePermission } from './decide-permission.ts';
import { Limiter, type Room } from './limits.ts';
import type { Rule } from './rules.ts';

/** What a request at either door says of itself. */
export interface Knock extends LoopbackRequest {
  readonly authorization: string | undefined;
  /** The route or method, as the rules name it. */
  readonly action: string;
  /** Undefined where nothing is served: that is told to whoever is known. */
  readonly rule: Rule | undefined;
}

/** Let in. */
export interface Admitted {
  readonly caller: Caller;
  /** Gives its place free, once the answer is out. */
  readonly leave: () => void;
}

/** What a caller wants. */
export interface Intent {
  readonly action: string;
  readonly rule: Rule;
  /** What stands in the path by name, or in the message: `slug` or `target` is the target. */
  readonly subject: Readonly<Record<string, string>>;
}

/** The one way in, by HTTP and by gRPC: who it is, whether it may, whether there is room, and what is written down. */
@Injectable()
export class Admission {
  private readonly limiter: Limiter;

  constructor(
    private readonly callers: Callers,
    private readonly audit: AuditLog,
    @InjectConfig() config: GatewayConfig,
  ) {
    this.limiter = new Limiter({ perSecond: config.tokenRequestsPerSecond, atOnce: config.tokenRequestsAtOnce });
  }

  /**
   * Who it is, and whether there is room for it.
   *
   * @returns undefined where everyone is let in
   * @throws HttpProblem 401, 403, 429
   */
  async enter(knock: Knock): Promise<Admitted | undefined> {
    const open = knock.rule?.who === 'everyone';
    if (open && (this.callers.needToken || isProbe(knock.action))) return undefined;
    if (!this.callers.needToken) {
      // A link elsewhere may lead to a page that is open; what that page then asks comes from this machine.
      const loopback = decideLoopback(open ? { ...knock, fetchSite: undefined } : knock);
      if (loopback.kind === 'refused') throw forbidden(loopback);
    }
    if (open) return undefined;
    const identified = await this.callers.identify(knock.authorization);
    if (identified.kind === 'refused') {
      const { code, what, todo } = identified;
      throw new HttpProblem({ status: 401, code, what, todo });
    }
    return { caller: identified.caller, leave: this.roomFor(identified.caller).release };
  }

  /**
   * Whether a caller may do it; a command is written into the audit log first.
   *
   * @returns is told how it ended: the status of the answer
   * @throws HttpProblem 403
   */
  async permit(caller: Caller, { action, rule, subject }: Intent): Promise<(result: string) => void> {
    const permission = decidePermission(caller, rule, subject.slug ?? subject.target);
    if (rule.audited !== true) {
      if (permission.kind === 'refused') throw forbidden(permission);
      return () => undefined;
    }
    const told = await this.audit.begin({ caller, action, subject });
    if (permission.kind === 'allowed') return told;
    told(permission.code);
    throw forbidden(permission);
  }

  private roomFor({ limitedAs }: Caller): Room & { kind: 'taken' } {
    if (limitedAs === undefined) return { kind: 'taken', release: () => undefined };
    const room = this.limiter.take(limitedAs, performance.now());
    if (room.kind === 'taken') return room;
    const often = room.kind === 'too often';
    throw new HttpProblem({
      status: 429,
      code: often ? 'too_many_requests' : 'too_many_at_once',
      what: often
        ? 'More requests came with this token than it may send in this time.'
        : 'As many requests of this token are in hand as it may have at once.',
      todo: often ? 'Send fewer, or more in each.' : 'Let one end before the next begins.',
      retryAfterSeconds: room.retryAfterSeconds,
    });
  }
}

/** Probes hold no token and call from anywhere. */
const isProbe = (action: string): boolean => PROBES.has(action);
const PROBES = new Set(['GET /livez', 'GET /readyz', 'grpc.health.v1.Health/Check', 'grpc.health.v1.Health/Watch']);

const forbidden = ({ code, what, todo }: { code: string; what: string; todo: string }): HttpProblem =>
  new HttpProblem({ status: 403, code, what, todo });
