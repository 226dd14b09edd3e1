import { Injectable } from '@nestjs/common';
import { StageDatabase, type Waiting } from '@tidemark/stage-runtime';
import { countStates, type StateCount, type TargetCounts } from './funnel.ts';
import { Placements } from './placements.ts';
import { Quiet } from './quiet.ts';
import { Rates } from './rates.ts';
import type { ServiceReport } from './service-directory.ts';

/** Where everything stands, as `GET /v1/status` and the live stream say it. */
export interface StatusJson {
  /** When it was looked at. */
  readonly at: string;
  readonly quiet: boolean;
  readonly problems: number;
  readonly funnel: readonly StateCount[];
  readonly intake: object;
  readonly targets: readonly TargetCounts[];
  readonly rates_per_second: Readonly<Record<string, number>>;
  /** Groups of attempts that wait for something that may never come. */
  readonly waiting: readonly Waiting[];
  readonly services: readonly object[];
}

/** Looks at everything once. */
@Injectable()
export class StatusReport {
  constructor(
    private readonly database: StageDatabase,
    private readonly quiet: Quiet,
    private readonly rates: Rates,
    private readonly placements: Placements,
  ) {}

  async read(): Promise<StatusJson> {
    // Looked at first: when it is quiet, everything read afterwards is what it settled on.
    const { quiet, settledAt, services } = await this.quiet.look();
    const states = await countStates(this.database);
    return {
      at: new Date().toISOString(),
      quiet,
      problems: states.reduce((sum, { problems }) => sum + problems, 0),
      funnel: states,
      intake: await this.intake(),
      targets: await this.placements.counts(settledAt),
      rates_per_second: this.rates.perSecond(),
      waiting: waitingIn(services),
      services: services.map(serviceJson),
    };
  }

  private async intake(): Promise<object> {
    const [row] = await this.database.query<object>(
      `SELECT coalesce(sum(uploads), 0)::float8 AS uploads,
         coalesce(sum(accepted) FILTER (WHERE kind = 'problems'), 0)::float8 AS problems_accepted,
         coalesce(sum(refused) FILTER (WHERE kind = 'problems'), 0)::float8 AS problems_refused,
         coalesce(sum(accepted) FILTER (WHERE kind = 'rollouts'), 0)::float8 AS rollouts_accepted,
         coalesce(sum(refused) FILTER (WHERE kind = 'rollouts'), 0)::float8 AS rollouts_refused
       FROM upload_count`,
    );
    return row ?? {};
  }
}

/** What groups of attempts wait for, that which most wait for first. */
function waitingIn(services: readonly ServiceReport[]): Waiting[] {
  return services
    .flatMap((report) => (report.reachable ? (report.activity.waiting ?? []) : []))
    .sort((left, right) => right.count - left.count);
}

function serviceJson(report: ServiceReport): object {
  if (!report.reachable) return { service: report.service, reachable: false, error: report.error };
  const { lag, outboxRows, openJobs, pendingWork, deadLetters, notReady = [] } = report.activity;
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, n) => total + n, 0);
  return {
    service: report.service,
    reachable: true,
    quiet: report.quiet,
    not_ready: notReady,
    lag: sum(lag),
    lag_by_topic: nonZero(lag),
    outbox: outboxRows,
    jobs: sum(openJobs),
    jobs_by_kind: nonZero(openJobs),
    pending: nonZero(pendingWork),
    dead_letters: sum(deadLetters),
    dead_letters_by_topic: nonZero(deadLetters),
  };
}

const nonZero = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
