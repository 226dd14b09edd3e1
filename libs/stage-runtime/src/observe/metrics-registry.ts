import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Adds what has to be looked up (rows of a table) to the gauges, just before they are read out. */
export type Sampler = () => Promise<void>;

/** A dependency that is away must not keep a scrape waiting: what could not be looked up in this time is left out. */
const SAMPLE_TIMEOUT_MS = 3_000;

/**
 * The metrics of one process: of the one service that runs in it, or of all. Every metric of ours has the label
 * `service`, so that services that share a process stand side by side under the same names.
 */
export class MetricsRegistry {
  private readonly registry = new Registry();
  private readonly samplers = new Map<string, Sampler>();
  private reading: Promise<string> | undefined;

  readonly contentType = this.registry.contentType;

  /** Metrics of Node itself: memory, CPU, event loop. Once a process. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  counter(name: string, help: string, labelNames: readonly string[]): Counter {
    return this.known(name) ?? new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge(name: string, help: string, labelNames: readonly string[]): Gauge {
    return this.known(name) ?? new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param buckets upper bounds, rising */
  histogram(name: string, help: string, labelNames: readonly string[], buckets: readonly number[]): Histogram {
    return (
      this.known(name) ?? new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.registry] })
    );
  }

  /** Calls it before each reading, until {@link forget}. */
  sampleBy(owner: string, sampler: Sampler): void {
    this.samplers.set(owner, sampler);
  }

  forget(owner: string): void {
    this.samplers.delete(owner);
  }

  /** Everything in Prometheus' text format. Scrapes that come together share one look. */
  read(): Promise<string> {
    this.reading ??= this.readNow().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readNow(): Promise<string> {
    await Promise.all([...this.samplers.values()].map((sampler) => withinTime(sampler())));
    return await this.registry.metrics();
  }

  private known<M>(name: string): M | undefined {
    return this.registry.getSingleMetric(name) as M | undefined;
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SAMPLE_TIMEOUT_MS);
  });
  await Promise.race([work.catch(() => undefined), tooLate]);
  clearTimeout(timer);
}
