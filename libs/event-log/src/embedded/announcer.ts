import type { Database } from './database.ts';
import { channels } from './functions.ts';

/** PostgreSQL takes payloads of less than 8,000 bytes. */
const longestPayload = 7_500;

/**
 * Tells all processes what was appended: one NOTIFY at a time, which carries all that was committed meanwhile. A notice
 * that is lost with its process or its connection is made up for by the followers' slow query.
 */
export class Announcer {
  readonly #database: Database;
  #waiting: string[] = [];
  #sending: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param ends `topic:partition:logEnd,…` as `event_log.append` answers */
  announce(ends: string): void {
    this.#waiting.push(ends);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const all = this.#waiting.splice(0).join(',');
      const payload = all.length <= longestPayload ? all : '*';
      await this.#database.query('SELECT pg_notify($1, $2)', [channels.appended, payload]).catch(() => undefined);
    }
  }
}
