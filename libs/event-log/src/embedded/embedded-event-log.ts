import type pg from 'pg';
import { LogUnavailableError } from '../errors.ts';
import type {
  ConsumeOptions,
  EventLog,
  EventLogAdmin,
  FencedWriter,
  LogConsumer,
  LogRecord,
  ReadOptions,
} from '../port.ts';
import { EmbeddedAdmin } from './admin.ts';
import { Announcer } from './announcer.ts';
import { EmbeddedConsumer } from './consumer.ts';
import { Database } from './database.ts';
import { Maintenance, type MaintenanceOptions } from './maintenance.ts';
import { Memberships } from './membership.ts';
import { readPartition } from './reader.ts';
import { createSchema } from './schema.ts';
import { Tail } from './tail.ts';
import { TopicCatalog } from './topic-catalog.ts';
import { EmbeddedWriter } from './writer.ts';

export interface EmbeddedEventLogOptions {
  /** Where PostgreSQL is. The log keeps to the schema `event_log`. Pool size: default 6, and one for LISTEN. */
  readonly connection: pg.PoolConfig;
  /** How often to ask for news that a lost notice did not bring, in ms. Default 2,000. */
  readonly pollMs?: number;
  /** Retention and compaction; false leaves them to another process. */
  readonly maintenance?: MaintenanceOptions | false;
}

/** Opens the log in a PostgreSQL, and creates its tables where they are missing. @throws LogUnavailableError */
export async function openEmbeddedEventLog(options: EmbeddedEventLogOptions): Promise<EventLog> {
  const database = new Database(options.connection);
  try {
    await createSchema(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new EmbeddedEventLog(database, options);
}

/** The event log as tables of a PostgreSQL. One instance serves any number of groups, readers and writers. */
class EmbeddedEventLog implements EventLog {
  readonly admin: EventLogAdmin;
  readonly #database: Database;
  readonly #topics: TopicCatalog;
  readonly #tail: Tail;
  readonly #announcer: Announcer;
  readonly #memberships: Memberships;
  readonly #maintenance: Maintenance | undefined;
  readonly #consumers = new Set<EmbeddedConsumer>();
  readonly #closing = new AbortController();

  constructor(database: Database, options: EmbeddedEventLogOptions) {
    this.#database = database;
    this.#topics = new TopicCatalog(database);
    this.#tail = new Tail(database, options.pollMs ?? 2_000);
    this.#announcer = new Announcer(database);
    this.#memberships = new Memberships(database, this.#tail);
    this.admin = new EmbeddedAdmin(database, this.#topics);
    if (options.maintenance !== false) {
      this.#maintenance = new Maintenance(database, options.maintenance);
      this.#maintenance.start();
    }
  }

  async consume(options: ConsumeOptions): Promise<LogConsumer> {
    this.#assertOpen();
    const { database, tail, memberships, topics } = this.#parts();
    const consumer = new EmbeddedConsumer({ database, tail, memberships, topics }, options, () =>
      this.#consumers.delete(consumer),
    );
    this.#consumers.add(consumer);
    await consumer.start();
    return consumer;
  }

  read(options: ReadOptions): AsyncIterable<LogRecord> {
    this.#assertOpen();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    return readPartition(this.#parts(), { ...options, signal });
  }

  writer(name: string): Promise<FencedWriter> {
    this.#assertOpen();
    return Promise.resolve(new EmbeddedWriter(this.#database, this.#topics, this.#announcer, name));
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    await this.#database.query('SELECT 1');
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
    await Promise.all([
      this.#memberships.close(),
      this.#tail.close(),
      this.#maintenance?.close(),
      this.#announcer.close(),
    ]);
    await this.#database.close();
  }

  #parts() {
    return { database: this.#database, tail: this.#tail, memberships: this.#memberships, topics: this.#topics };
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new LogUnavailableError('the log was closed');
  }
}
