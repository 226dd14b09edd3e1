import type pg from 'pg';
import { Backoff, sleep } from '../backoff.ts';
import type { Database } from './database.ts';
import { channels } from './functions.ts';
import { Wakeup } from '../wakeup.ts';

export interface TailListener {
  /** New ends of the topic's partitions; undefined where nothing is known. */
  onAppended(): void;
  /** Members of one of the topic's groups came or went. */
  onGroupChanged?(group: string): void;
  /** The log could not be asked. */
  onFault?(fault: unknown): void;
  /** The log answers again. */
  onRecovered?(): void;
}

/**
 * Tells who follows a topic that it has grown: by NOTIFY, one connection for the whole process, and by asking for the
 * ends of all followed topics in one slow query, for notices that were lost with a connection.
 */
export class Tail {
  readonly #database: Database;
  readonly #pollMs: number;
  readonly #listeners = new Map<number, Set<TailListener>>();
  readonly #ends = new Map<number, Map<number, bigint>>();
  readonly #closing = new AbortController();
  readonly #pollNow = new Wakeup();
  readonly #loops: Promise<unknown>[] = [];
  #client: pg.Client | undefined;

  constructor(database: Database, pollMs: number) {
    this.#database = database;
    this.#pollMs = pollMs;
  }

  /** Follows a topic until the answered function is called. */
  watch(topicId: number, listener: TailListener): () => void {
    if (this.#loops.length === 0) this.#loops.push(this.#listen(), this.#poll());
    const listeners = this.#listeners.get(topicId) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(topicId, listeners);
    this.#pollNow.signal();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(topicId) === listeners) {
        this.#listeners.delete(topicId);
        this.#ends.delete(topicId);
      }
    };
  }

  /** The newest known end of a partition. */
  endOf(topicId: number, partition: number): bigint | undefined {
    return this.#ends.get(topicId)?.get(partition);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pollNow.signal();
    await this.#client?.end().catch(() => undefined);
    await Promise.all(this.#loops);
  }

  async #poll(): Promise<void> {
    const backoff = new Backoff();
    while (!this.#closing.signal.aborted) {
      if (this.#listeners.size > 0) {
        try {
          await this.#ask();
          if (backoff.failures > 0) for (const listener of this.#all()) listener.onRecovered?.();
          backoff.succeeded();
        } catch (error) {
          if (this.#closing.signal.aborted) return;
          for (const listener of this.#all()) listener.onFault?.(error);
          await sleep(backoff.next(), this.#closing.signal);
          continue;
        }
      }
      await this.#pollNow.wait(this.#pollMs);
    }
  }

  async #ask(): Promise<void> {
    const topicIds = [...this.#listeners.keys()];
    const rows = await this.#database.query<{ topic_id: number; partition: number; log_end: bigint }>(
      'SELECT topic_id, partition, log_end FROM event_log.partitions WHERE topic_id = ANY($1::int[])',
      [topicIds],
    );
    const grown = new Set<number>();
    for (const row of rows) {
      if (this.#advance(row.topic_id, row.partition, row.log_end)) grown.add(row.topic_id);
    }
    for (const topicId of grown) this.#wake(topicId);
  }

  async #listen(): Promise<void> {
    const backoff = new Backoff();
    while (!this.#closing.signal.aborted) {
      const client = this.#database.client();
      const ended = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.once('error', () => resolve());
      });
      // Unheard, a later error event would end the process.
      client.on('error', () => undefined);
      client.on('notification', (notice) => this.#onNotice(notice));
      try {
        await client.connect();
        this.#client = client;
        await client.query(`LISTEN ${channels.appended}; LISTEN ${channels.group}`);
        backoff.succeeded();
        // What was said while nobody listened.
        this.#pollNow.signal();
        if (!this.#closing.signal.aborted) await ended;
      } catch {
        // The poll reports that the database is away; here it is enough to try again.
      }
      await client.end().catch(() => undefined);
      await sleep(backoff.next(), this.#closing.signal);
    }
  }

  #onNotice(notice: pg.Notification): void {
    const payload = notice.payload ?? '';
    if (notice.channel === channels.group) {
      const [topicId, group] = splitOnce(payload, ' ');
      for (const listener of this.#listeners.get(Number(topicId)) ?? []) listener.onGroupChanged?.(group);
    } else if (payload === '*') {
      this.#pollNow.signal();
    } else {
      const grown = new Set<number>();
      for (const entry of payload.split(',')) {
        const [topicId = 0, partition = 0] = entry.split(':').map(Number);
        if (!this.#listeners.has(topicId)) continue;
        if (this.#advance(topicId, partition, BigInt(entry.slice(entry.lastIndexOf(':') + 1)))) grown.add(topicId);
      }
      for (const topicId of grown) this.#wake(topicId);
    }
  }

  #advance(topicId: number, partition: number, end: bigint): boolean {
    const ends = this.#ends.get(topicId) ?? new Map<number, bigint>();
    this.#ends.set(topicId, ends);
    const known = ends.get(partition);
    if (known !== undefined && known >= end) return false;
    ends.set(partition, end);
    return true;
  }

  #wake(topicId: number): void {
    for (const listener of this.#listeners.get(topicId) ?? []) listener.onAppended();
  }

  #all(): TailListener[] {
    return [...this.#listeners.values()].flatMap((listeners) => [...listeners]);
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
