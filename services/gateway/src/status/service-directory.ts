import { Injectable } from '@nestjs/common';
import { serviceNames } from '@tidemark/event-log';
import {
  type Activity,
  InjectConfig,
  InjectHttpOptions,
  type HttpOptions,
  InjectStageStatus,
  isQuiet,
  type StageStatus,
} from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';

const TIMEOUT_MS = 3_000;

/** A service that can be asked what it has in hand. */
export interface AskableService {
  readonly name: string;
  activity(): Promise<Activity>;
}

/** What a service answered, or why it didn't. */
export type ServiceReport =
  | { readonly service: string; readonly reachable: true; readonly quiet: boolean; readonly activity: Activity }
  | { readonly service: string; readonly reachable: false; readonly error: string };

/**
 * Every service there is: this one, those that run in the same process (they are registered), and those whose addresses
 * are configured. Of any other nothing is known, and it may have work in hand: it is reported as one that can't be asked.
 */
@Injectable()
export class ServiceDirectory {
  private readonly inProcess = new Map<string, AskableService>();

  constructor(
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectHttpOptions() private readonly http: HttpOptions | undefined,
    @InjectStageStatus() private readonly own: StageStatus,
  ) {}

  /** Adds a service of this process. */
  register(service: AskableService): void {
    this.inProcess.set(service.name, service);
  }

  /** Asks all of them at once. One that does not answer is reported as such. */
  async ask(): Promise<ServiceReport[]> {
    const asked = new Map<string, () => Promise<Activity>>(serviceNames.map((name) => [name, unknownService]));
    for (const [name, address] of this.config.serviceAddresses) asked.set(name, () => this.askByHttp(address));
    for (const [name, service] of this.inProcess) asked.set(name, () => service.activity());
    asked.set('gateway', () => this.own.activity());
    return await Promise.all([...asked].map(([name, ask]) => report(name, ask)));
  }

  private async askByHttp(address: string): Promise<Activity> {
    const token = this.http?.accessToken;
    const response = await fetch(new URL('/activity', address), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return (await response.json()) as Activity;
  }
}

const unknownService = (): Promise<Activity> =>
  Promise.reject(new Error('it is not in this process, and TIDEMARK_GATEWAY_SERVICE_ADDRESSES does not name it'));

async function report(service: string, ask: () => Promise<Activity>): Promise<ServiceReport> {
  try {
    const activity = await ask();
    return { service, reachable: true, quiet: isQuiet(activity), activity };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return { service, reachable: false, error: `${error instanceof Error ? error.message : String(error)}${cause}` };
  }
}
