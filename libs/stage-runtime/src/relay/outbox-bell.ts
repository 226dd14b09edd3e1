import pg from 'pg';
import type { Sql } from '../api.ts';

const RECONNECT_MS = 2_000;

/**
 * LISTEN/NOTIFY between the replicas of a service: "this shard has rows". A lost ring costs one poll of the relay and
 * nothing else. Rung outside the transaction that wrote the rows, since commits with a NOTIFY queue behind one another.
 */
export class OutboxBell {
  private client: pg.Client | undefined;
  private reconnect: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly schema: string,
    private readonly sql: Sql,
  ) {}

  ring(shard: number): void {
    this.sql.query('SELECT pg_notify($1, $2)', [this.channel, String(shard)]).catch(() => undefined);
  }

  listen(onRing: (shard: number) => void): void {
    this.connect(onRing).catch(() => this.connectLater(onRing));
  }

  async stop(): Promise<void> {
    this.ended = true;
    clearTimeout(this.reconnect);
    await this.client?.end().catch(() => undefined);
  }

  private get channel(): string {
    return `tidemark_outbox_${this.schema}`;
  }

  private async connect(onRing: (shard: number) => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: `tidemark-${this.schema}-listen`,
      keepAlive: true,
    });
    this.client = client;
    client.on('error', () => {
      client.end().catch(() => undefined);
    });
    client.on('end', () => this.connectLater(onRing));
    client.on('notification', ({ payload }) => onRing(Number(payload)));
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(this.channel)}`);
    if (this.ended) await client.end();
  }

  private connectLater(onRing: (shard: number) => void): void {
    // A failed connection reports itself more than once.
    if (this.ended || this.reconnect !== undefined) return;
    this.reconnect = setTimeout(() => {
      this.reconnect = undefined;
      this.listen(onRing);
    }, RECONNECT_MS);
  }
}
