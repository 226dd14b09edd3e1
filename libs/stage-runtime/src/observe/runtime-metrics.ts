import type { Counter, Gauge, Histogram } from 'prom-client';
import { type Gathered, type GaugeOf, StageMetrics, type Tally } from '../injectables.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

/** Seconds: from a few ms to the statement time-out of a minute. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Labels = Readonly<Record<string, string>>;

/** The metrics that the runtime keeps of one service; what each means stands in `docs/operations.md`. */
export class RuntimeMetrics extends StageMetrics {
  readonly batchSeconds;
  readonly records;
  readonly lag;
  readonly oldestAge;
  readonly published;
  readonly refused;
  readonly outboxEvents;
  readonly outboxAge;
  readonly openJobs;
  readonly jobsAge;
  readonly jobSeconds;
  readonly jobsEnded;
  readonly retries;
  readonly deadLetters;
  readonly connections;
  readonly connectionsLimit;
  readonly connectionsAwaited;
  readonly ready;
  readonly sampleFailures;
  private readonly gathered: (() => Promise<void>)[] = [];

  constructor(
    private readonly registry: MetricsRegistry,
    private readonly service: string,
  ) {
    super();
    const gauge = (name: string, help: string, labels: string[] = []) =>
      this.bind(registry.gauge(name, help, ['service', ...labels]));
    const histogram = (name: string, help: string, labels: string[]) =>
      this.bind(registry.histogram(name, help, ['service', ...labels], DURATION_BUCKETS));
    this.batchSeconds = histogram(
      'tidemark_consumer_batch_duration_seconds',
      'Time from taking a batch to its commit, retries included.',
      ['topic'],
    );
    this.records = this.counter('tidemark_consumer_records_total', 'Records taken off the log and committed.', [
      'topic',
    ]);
    this.lag = gauge(
      'tidemark_consumer_lag_records',
      'Offsets between what is stored and the end of the log, of the partitions that this replica holds.',
      ['topic'],
    );
    this.oldestAge = gauge(
      'tidemark_consumer_oldest_unprocessed_age_seconds',
      'Age of the oldest record that is not handled, of the partitions that this replica holds; 0 without lag.',
      ['topic'],
    );
    this.published = this.counter('tidemark_outbox_published_total', 'Events that the relay brought to the log.', [
      'topic',
    ]);
    this.refused = this.counter(
      'tidemark_outbox_refused_total',
      'Events that the log refused for good; each becomes a dead letter.',
      ['topic'],
    );
    this.outboxEvents = gauge(
      'tidemark_outbox_events',
      'Events committed and not known to be in the log, counted up to 100,000.',
    );
    this.outboxAge = gauge(
      'tidemark_outbox_oldest_age_seconds',
      'Age of the oldest event in the outbox; 0 when it is empty.',
    );
    this.openJobs = gauge('tidemark_jobs_open', 'Jobs waiting, running or put off, counted up to 100,000.', ['kind']);
    this.jobsAge = gauge(
      'tidemark_jobs_oldest_age_seconds',
      'Time since the oldest open job was added; 0 without one.',
      ['kind'],
    );
    this.jobSeconds = histogram('tidemark_job_duration_seconds', 'Time from taking a job to its end in this replica.', [
      'kind',
    ]);
    this.jobsEnded = this.counter(
      'tidemark_jobs_ended_total',
      'Jobs by how they left this replica: completed, failed (given up), retried, lost (to another replica).',
      ['kind', 'outcome'],
    );
    this.retries = this.counter(
      'tidemark_retries_total',
      'Work that failed and is tried again: part is consumer, relay or timer; cause is the dependency at fault.',
      ['part', 'name', 'cause'],
    );
    this.deadLetters = this.counter(
      'tidemark_dead_letters_total',
      'Records laid aside, by the topic that they came from and the code of the fault.',
      ['topic', 'code'],
    );
    this.connections = gauge('tidemark_database_connections', 'Connections of the pool to PostgreSQL.', ['state']);
    this.connectionsLimit = gauge('tidemark_database_connections_limit', 'Most connections that the pool may have.');
    this.connectionsAwaited = gauge(
      'tidemark_database_connections_awaited',
      'Pieces of work that wait for a connection or for leave to open a transaction.',
    );
    this.ready = gauge('tidemark_ready', '1 when /readyz has no reason against it.');
    this.sampleFailures = this.counter(
      'tidemark_metrics_sample_failures_total',
      'Scrapes that could not look into the database or the log.',
      [],
    );
    this.sampleFailures.inc({}, 0);
  }

  override counter(name: string, help: string, labels: readonly string[]): Tally {
    return this.bind(this.registry.counter(name, help, ['service', ...labels]));
  }

  override gauge(
    name: string,
    help: string,
    labels: readonly string[],
    gather: () => Promise<readonly Gathered[]>,
  ): void {
    const gauge = this.bind(this.registry.gauge(name, help, ['service', ...labels]));
    this.gathered.push(async () => gauge.replace(await gather()));
  }

  /** What services added by {@link gauge}, looked up now. */
  async gatherAll(): Promise<void> {
    await Promise.all(this.gathered.map((gather) => gather()));
  }

  private bind<M extends Counter | Gauge | Histogram>(metric: M): BoundMetric<M> {
    return new BoundMetric(metric, this.service);
  }
}

/** A metric with the label `service` filled in. */
class BoundMetric<M extends Counter | Gauge | Histogram> implements Tally, GaugeOf {
  private before: readonly Labels[] = [];

  constructor(
    private readonly metric: M,
    private readonly service: string,
  ) {}

  inc(labels: Labels = {}, by = 1): void {
    (this.metric as Counter).inc({ ...labels, service: this.service }, by);
  }

  set(labels: Labels, value: number): void {
    (this.metric as Gauge).set({ ...labels, service: this.service }, value);
  }

  observe(labels: Labels, value: number): void {
    (this.metric as Histogram).observe({ ...labels, service: this.service }, value);
  }

  /** Sets these values and removes those of the time before that are not among them. */
  replace(values: readonly Gathered[]): void {
    for (const labels of this.before) this.metric.remove({ ...labels, service: this.service });
    this.before = values.map(({ labels }) => labels);
    for (const { labels, value } of values) this.set(labels, value);
  }
}
