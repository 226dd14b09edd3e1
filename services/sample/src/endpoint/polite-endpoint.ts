import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { SampleConfig } from '../sample.config.ts';
import { type CallOutcome, type EndpointCall, ModelEndpoint } from './model-endpoint.ts';
import { waysOfAsking } from './ways-of-asking.ts';

/** First pause after a failure, and the longest that we choose ourselves, in ms. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** What says that there is no such model or path, and not that the call is wrong. */
const NOT_THERE = new Set([404, 405]);

/** An outcome; an answer comes with the call as it was put in the end. */
export type PoliteOutcome =
  | (CallOutcome & { readonly kind: 'answered' } & { readonly put: EndpointCall })
  | Exclude<CallOutcome, { kind: 'answered' }>;

/** What was learned of one endpoint and model, in this process. */
interface Manners {
  /** Number of the way of asking that worked. */
  way: number;
  /** It gives one choice, whatever is asked for. */
  givesOneChoice: boolean;
  hasAnswered: boolean;
  failures: number;
  closedUntilMs: number;
  /** What the last failure was. */
  lastFailure: string;
}

/** Asks endpoints as they want to be asked, and leaves those alone that are down or busy. */
@Injectable()
export class PoliteEndpoint {
  private readonly manners = new Map<string, Manners>();

  constructor(
    private readonly endpoint: ModelEndpoint,
    @InjectConfig() private readonly config: SampleConfig,
  ) {}

  /** Whether several choices are worth asking for in one call. */
  givesOneChoice(baseUrl: string, model: string): boolean {
    const { givesOneChoice, way } = this.mannersOf(baseUrl, model);
    return givesOneChoice || way > 0;
  }

  /**
   * One call, put again in plainer ways as long as it is refused. An endpoint that is to be left alone for no longer
   * than the patience is waited for; else the outcome is `unavailable` at once. `refused` means this call alone: the
   * endpoint has answered others.
   */
  async ask(call: EndpointCall, signal: AbortSignal): Promise<PoliteOutcome> {
    const manners = this.mannersOf(call.baseUrl, call.model);
    const closedMs = manners.closedUntilMs - performance.now();
    if (closedMs > this.config.patienceMs) {
      return { kind: 'unavailable', why: manners.lastFailure, comeBackMs: closedMs };
    }
    if (closedMs > 0) await sleep(closedMs, undefined, { signal });

    let status = 0;
    for (const { way, call: put } of waysOfAsking(call, manners.way)) {
      const outcome = await this.endpoint.call(put, signal);
      if (outcome.kind === 'answered') {
        this.learn(manners, way, put.choices, outcome.texts.length);
        return { ...outcome, put };
      }
      if (outcome.kind !== 'refused') return this.pause(manners, outcome);
      status = outcome.status;
    }
    if (status < 500 && !NOT_THERE.has(status) && manners.hasAnswered) return { kind: 'refused', status };
    // Refused before it ever answered: address, model or settings are wrong for it, and waiting for them loses nothing.
    const why = `status ${status} however it is asked`;
    return this.pause(manners, { kind: 'unavailable', why, comeBackMs: undefined });
  }

  private learn(manners: Manners, way: number, asked: number, came: number): void {
    manners.way = way;
    manners.hasAnswered = true;
    manners.failures = 0;
    manners.closedUntilMs = 0;
    if (asked > 1 && came < asked) manners.givesOneChoice = true;
  }

  /** Leaves the endpoint alone for as long as it asks, else for longer each time. */
  private pause<Failure extends Exclude<CallOutcome, { kind: 'answered' }>>(
    manners: Manners,
    failure: Failure,
  ): Failure {
    const asked = failure.kind === 'unavailable' ? failure.comeBackMs : undefined;
    const pauseMs = asked ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** manners.failures);
    manners.failures += 1;
    manners.lastFailure = failure.kind === 'refused' ? `status ${failure.status}` : failure.why;
    manners.closedUntilMs = Math.max(manners.closedUntilMs, performance.now() + pauseMs);
    return failure;
  }

  private mannersOf(baseUrl: string, model: string): Manners {
    const key = `${baseUrl} ${model}`;
    const known = this.manners.get(key);
    if (known !== undefined) return known;
    const fresh = { way: 0, givesOneChoice: false, hasAnswered: false, failures: 0, closedUntilMs: 0, lastFailure: '' };
    this.manners.set(key, fresh);
    return fresh;
  }
}
