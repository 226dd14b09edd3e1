import type { Database } from './database.ts';

/** What the log knows about one life of a topic. `id` is never used again, so it stands for the incarnation. */
export interface TopicEntry {
  readonly id: number;
  readonly name: string;
  readonly incarnation: string;
  readonly partitions: number;
  readonly cleanup: 'compact' | 'delete';
}

/** Topics by name, remembered. An entry that turns out to be stale is forgotten and looked up again. */
export class TopicCatalog {
  readonly #database: Database;
  readonly #entries = new Map<string, TopicEntry>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Looks up what is not remembered; names that have no topic are absent from the answer. */
  async resolve(names: Iterable<string>): Promise<ReadonlyMap<string, TopicEntry>> {
    const wanted = [...new Set(names)];
    const missing = wanted.filter((name) => !this.#entries.has(name));
    if (missing.length > 0) {
      const rows = await this.#database.query<TopicEntry>(
        `SELECT t.id, t.name, t.incarnation::text AS incarnation, t.cleanup,
           (SELECT count(*)::int FROM event_log.partitions p WHERE p.topic_id = t.id) AS partitions
         FROM event_log.topics t WHERE t.name = ANY($1::text[])`,
        [missing],
      );
      for (const row of rows) this.#entries.set(row.name, row);
    }
    const found = new Map<string, TopicEntry>();
    for (const name of wanted) {
      const entry = this.#entries.get(name);
      if (entry) found.set(name, entry);
    }
    return found;
  }

  forget(names: Iterable<string>): void {
    for (const name of names) this.#entries.delete(name);
  }
}
