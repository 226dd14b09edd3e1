import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { type EventLog, openEmbeddedEventLog, type TopicDefinition } from '@tidemark/event-log';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import type { z } from 'zod';
import { type Activity, isQuiet } from '../activity.ts';
import type { AnyTopic } from '../api.ts';
import type { InnerOptions } from '../assemble.ts';
import { variableName } from '../config/variable-name.ts';
import type { ServiceDefinition } from '../define-service.ts';
import type { Moment } from '../moments.ts';
import type { RunningService, RunOptions } from '../running-service.ts';
import { sleep } from '../sleep.ts';
import type { Stage } from '../stage.ts';
import { startStage } from '../start-stage.ts';
import { Crashes } from './crashes.ts';
import type { PublishedRecord, StageHarness, StageHarnessOptions } from './index.ts';
import { TestPublisher } from './test-publisher.ts';
import { readTopic } from './read-topic.ts';

const DEFAULT_PARTITIONS = 2;

/** {@link StageHarness} in this process. */
export class ProcessHarness<Schema extends z.ZodObject> implements StageHarness {
  private stage: Stage | undefined;
  private readonly replicas: Stage[] = [];
  private readonly crashes = new Crashes(() => this.kill());
  private readonly publisher: TestPublisher;

  private constructor(
    private readonly definition: ServiceDefinition<Schema>,
    private readonly options: StageHarnessOptions,
    private readonly postgres: TestPostgres,
    private readonly pool: pg.Pool,
    readonly log: EventLog,
    private readonly blobFolder: string,
  ) {
    this.publisher = new TestPublisher(log, options.partitions ?? DEFAULT_PARTITIONS);
  }

  static async start<Schema extends z.ZodObject>(
    definition: ServiceDefinition<Schema>,
    options: StageHarnessOptions,
  ): Promise<ProcessHarness<Schema>> {
    const postgres = await startPostgres();
    const log = options.log ?? (await openEmbeddedEventLog({ connection: { connectionString: postgres.url } }));
    const pool = new pg.Pool({
      connectionString: postgres.url,
      application_name: 'tidemark-harness',
      options: `-c search_path=${definition.name}`,
      max: 2,
    });
    pool.on('error', () => undefined);
    const blobFolder = await mkdtemp(join(tmpdir(), 'tidemark-harness-'));
    const harness = new ProcessHarness(definition, options, postgres, pool, log, blobFolder);
    try {
      harness.stage = await harness.startReplica();
    } catch (error) {
      await harness.stop();
      throw error;
    }
    return harness;
  }

  get service(): RunningService {
    if (this.stage === undefined) throw new Error('the service is down');
    return this.stage;
  }

  async startReplica(port = 0): Promise<Stage> {
    const replica = await startStage(this.definition, this.runOptions(port));
    this.replicas.push(replica);
    return replica;
  }

  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query(sql, [...parameters]);
    return rows as Row[];
  }

  publish<D extends DescMessage>(topic: TopicDefinition<D>, ...messages: MessageShape<D>[]): Promise<void> {
    return this.publisher.publish(topic, messages);
  }

  publishTombstone(topic: AnyTopic, key: string): Promise<void> {
    return this.publisher.publishTombstone(topic, key);
  }

  publishBytes(topic: AnyTopic, key: string, value: Uint8Array): Promise<void> {
    return this.publisher.publishBytes(topic, key, value);
  }

  published<D extends DescMessage>(topic: TopicDefinition<D>): Promise<PublishedRecord<MessageShape<D>>[]> {
    return readTopic(this.log, topic);
  }

  async untilQuiet(timeoutMs = 20_000): Promise<Activity> {
    const until = performance.now() + timeoutMs;
    let quietAt: number | undefined;
    for (;;) {
      const activity = await this.service.activity();
      // Twice, with nothing between: a look at several tables is not one moment.
      if (isQuiet(activity) && quietAt === activity.progress) return activity;
      quietAt = isQuiet(activity) ? activity.progress : undefined;
      if (performance.now() > until) {
        const reasons = this.service.readiness().reasons.join('; ') || 'none';
        const left = JSON.stringify(activity);
        throw new Error(`not quiet after ${timeoutMs} ms: ${left}; reasons for not being ready: ${reasons}`);
      }
      await sleep(20);
    }
  }

  crashAt(moment: Moment, times = 1): Promise<void> {
    return this.crashes.next(moment, times);
  }

  async kill(): Promise<void> {
    const stage = this.stage;
    this.stage = undefined;
    if (stage === undefined) return;
    await stage.abandon();
    await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name LIKE $1 AND datname = current_database()`,
      [`tidemark-${this.definition.name}%`],
    );
  }

  async restart(): Promise<void> {
    await this.stage?.stop();
    this.stage = await this.startReplica();
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    if (this.options.log === undefined) await this.log.close();
    await this.pool.end();
    await this.postgres.stop();
    await rm(this.blobFolder, { recursive: true, force: true });
  }

  private http(port: number) {
    const { accessToken } = this.options;
    return { host: '127.0.0.1', port, ...(accessToken === undefined ? {} : { accessToken }) };
  }

  private runOptions(port: number): RunOptions & InnerOptions {
    const env: Record<string, string> = {};
    for (const [field, value] of Object.entries(this.options.config ?? {})) {
      env[variableName(this.definition.name, field)] = value;
    }
    return {
      environment: this.options.environment ?? 'test',
      log: this.log,
      databaseUrl: this.postgres.url,
      env,
      blobFolder: this.blobFolder,
      partitions: this.options.partitions ?? DEFAULT_PARTITIONS,
      restored: this.options.restored ?? false,
      logLevel: process.env.TIDEMARK_TEST_LOG_LEVEL ?? 'silent',
      ...(this.options.http ? { http: this.http(port) } : {}),
      // A crash must not cost a spec the seconds that it may cost a service.
      leaseMs: 1_500,
      relayPollMs: 200,
      backoff: { firstMs: 20, maxMs: 500 },
      reached: (moment) => this.crashes.reached(moment),
    };
  }
}
