import { type Cause, type Origin, RecordFault, type Sql } from '../api.ts';
import { decodeOrigin, encodeOriginBesideValue } from '../consume/origin-codec.ts';
import { boundOwner } from './bound-owner.ts';

type Columns = Readonly<Record<string, string | number | undefined>>;

/** Where a service keeps records of one topic that wait for something, and how it knows that it is there. */
export interface ParkingTable {
  readonly topic: string;
  /** Column of the record's value. */
  readonly value: string;
  /** The service's own columns with their types: what a record waits for. */
  readonly columns: Readonly<Record<string, string>>;
  /** SQL over row `p`: everything that it waits for is there. */
  readonly ready: string;
  /** SQL over row `p`: what it waits for is known and under way; such a row is not given up. Default: of none. */
  readonly onItsWay?: string;
  /** SQL over row `p`: it counts against the bound of its submitter. Default: each does. */
  readonly bounded?: string;
}

/** A record that waits. */
export interface Parked<C extends Columns> {
  readonly origin: Origin;
  readonly submitter: string;
  readonly columns: C;
}

/**
 * Table `parked_groups` of a service: records that wait for what other topics bring, each kept as it was read, so that
 * it can be taken up again or laid aside. What is taken is locked until the transaction ends; other replicas skip it.
 */
export class Parking<C extends Columns> {
  constructor(private readonly table: ParkingTable) {}

  /**
   * @param bound records of one submitter that may wait; all that nobody vouches for share one bound. Default: no bound
   * @throws RecordFault `too_many_waiting`
   */
  async park(sql: Sql, records: readonly Parked<C>[], bound = Infinity): Promise<void> {
    if (records.length === 0) return;
    if (bound < Infinity) await this.keepBound(sql, records, bound);
    const own = Object.entries(this.table.columns);
    const names = [
      'event_id',
      'traceparent',
      'submitter',
      'origin',
      this.table.value,
      ...PLACE,
      ...own.map(([name]) => name),
    ];
    const types = ['text', 'text', 'text', 'bytea', 'bytea', 'int', 'bigint', 'bigint', ...own.map(([, type]) => type)];
    await sql.query(
      `INSERT INTO parked_groups (${names.join()})
       SELECT * FROM unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join()})
       ON CONFLICT (event_id) DO NOTHING`,
      [
        records.map(({ origin }) => origin.id),
        records.map(({ origin }) => origin.traceparent ?? null),
        records.map(({ submitter }) => boundOwner(submitter)),
        records.map(({ origin }) => encodeOriginBesideValue(origin)),
        records.map(({ origin }) => Buffer.from(origin.record.value ?? [])),
        records.map(({ origin }) => origin.record.partition),
        records.map(({ origin }) => origin.record.offset),
        records.map(({ origin }) => Math.trunc(origin.record.timestampMs)),
        ...own.map(([name]) => records.map(({ columns }) => columns[name] ?? null)),
      ],
    );
  }

  /** Records for which everything is there now, oldest first. */
  takeReady(sql: Sql, limit: number): Promise<(Origin & { readonly columns: C })[]> {
    return this.take(sql, this.table.ready, [limit]);
  }

  /**
   * Records that had waited longer than this at that moment, and for which something is still missing: what is there and
   * only waits for its turn, or is under way, is never given up.
   *
   * @param at default: now
   */
  takeExpired(sql: Sql, waitedMs: number, limit: number, at?: Date): Promise<(Origin & { readonly columns: C })[]> {
    const { ready, onItsWay = 'false' } = this.table;
    const expired = `p.parked_at < coalesce($3::timestamptz, now()) - $2 * interval '1 millisecond'`;
    return this.take(sql, `${expired} AND NOT (${ready}) AND NOT (${onItsWay})`, [limit, waitedMs, at ?? null]);
  }

  /**
   * Records that wait for what can't come any more; what is there already is none of them.
   *
   * @param hopeless SQL over row `p`
   */
  takeHopeless(sql: Sql, limit: number, hopeless: string): Promise<(Origin & { readonly columns: C })[]> {
    return this.take(sql, `${hopeless} AND NOT (${this.table.ready})`, [limit]);
  }

  /** @param condition SQL over row `p`; parameter 1 is the limit */
  async take(
    sql: Sql,
    condition: string,
    parameters: readonly [limit: number, ...unknown[]],
  ): Promise<(Origin & { readonly columns: C })[]> {
    const rows = await sql.query<Row>(
      `SELECT * FROM parked_groups p WHERE ${condition} ORDER BY parked_at, event_id LIMIT $1 FOR UPDATE SKIP LOCKED`,
      parameters,
    );
    return rows.map((row) => this.fromRow(row));
  }

  /** They wait no more. */
  async remove(sql: Sql, records: readonly Cause[]): Promise<void> {
    await sql.query('DELETE FROM parked_groups WHERE event_id = ANY ($1::text[])', [records.map(({ id }) => id)]);
  }

  async countReady(sql: Sql): Promise<number> {
    const [row] = await sql.query<{ count: bigint }>(
      `SELECT count(*) AS count FROM parked_groups p WHERE ${this.table.ready}`,
    );
    return Number(row?.count ?? 0);
  }

  private async keepBound(sql: Sql, records: readonly Parked<C>[], bound: number): Promise<void> {
    const owners = [...new Set(records.map(({ submitter }) => boundOwner(submitter)))];
    const rows = await sql.query<{ submitter: string; count: bigint }>(
      `SELECT submitter, count(*) AS count FROM parked_groups p
       WHERE submitter = ANY ($1::text[]) AND ${this.table.bounded ?? 'true'} GROUP BY submitter`,
      [owners],
    );
    const waiting = new Map(rows.map((row) => [row.submitter, Number(row.count)]));
    for (const { origin, submitter } of records) {
      const owner = boundOwner(submitter);
      const count = waiting.get(owner) ?? 0;
      if (count >= bound) throw new RecordFault('too_many_waiting', `${count} groups of ${owner} wait already`, origin);
      waiting.set(owner, count + 1);
    }
  }

  private fromRow(row: Row): Origin & { readonly columns: C } {
    const value = row[this.table.value] as Buffer;
    const origin = row.origin === null ? this.placeOf(row, value) : decodeOrigin(row.origin, value);
    const own = Object.keys(this.table.columns).map((name) => [name, row[name] ?? undefined]);
    return { ...origin, traceparent: row.traceparent ?? undefined, columns: Object.fromEntries(own) as C };
  }

  /** Of a record that a replica of the release before parked: its place is known, key and headers are not. */
  private placeOf({ event_id, topic_partition, topic_offset, appended_ms }: Row, value: Buffer): Origin {
    const place = { topic: this.table.topic, partition: topic_partition, offset: BigInt(topic_offset) };
    const record = { ...place, timestampMs: Number(appended_ms), key: null, value, headers: {} };
    return { id: event_id, traceparent: undefined, record, revision: undefined, replays: 0 };
  }
}

/** Read by replicas of the release before. */
const PLACE = ['topic_partition', 'topic_offset', 'appended_ms'];

interface Row {
  readonly event_id: string;
  readonly traceparent: string | null;
  readonly origin: Buffer | null;
  readonly topic_partition: number;
  readonly topic_offset: bigint;
  readonly appended_ms: bigint;
  readonly [column: string]: unknown;
}
