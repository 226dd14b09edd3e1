import { type HeldLease, LeaseLostError, type Sql } from '../api.ts';

export interface LeaseHolder {
  /** Unique per start of a process. */
  readonly owner: string;
  /** Where others reach it; empty when it serves nothing. */
  readonly address: string;
}

/** Takes a lease that is free or has run out. @returns its epoch, or undefined when another holds it */
export async function takeLease(
  sql: Sql,
  name: string,
  holder: LeaseHolder,
  ttlMs: number,
): Promise<bigint | undefined> {
  const [row] = await sql.query<{ epoch: bigint }>(
    `INSERT INTO leases AS l (name, owner, address, epoch, expires_at)
     VALUES ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 ms')
     ON CONFLICT (name) DO UPDATE
       SET owner = excluded.owner, address = excluded.address, epoch = l.epoch + 1, expires_at = excluded.expires_at
       WHERE l.expires_at < clock_timestamp() OR l.owner = excluded.owner
     RETURNING epoch`,
    [name, holder.owner, holder.address, ttlMs],
  );
  return row?.epoch;
}

/**
 * Prolongs leases. Rows that a transaction holds by {@link assertLease} are passed over: nobody can take them either.
 *
 * @returns the names still held, renewed or not
 */
export async function renewLeases(
  sql: Sql,
  leases: readonly HeldLease[],
  owner: string,
  ttlMs: number,
): Promise<Set<string>> {
  const names = leases.map(({ name }) => name);
  const epochs = leases.map(({ epoch }) => epoch);
  await sql.query(
    `UPDATE leases SET expires_at = clock_timestamp() + $4 * interval '1 ms'
     WHERE name IN (
       SELECT l.name FROM leases l JOIN unnest($1::text[], $2::bigint[]) AS h (name, epoch) USING (name, epoch)
       WHERE l.owner = $3 FOR UPDATE OF l SKIP LOCKED)`,
    [names, epochs, owner, ttlMs],
  );
  const rows = await sql.query<{ name: string }>(
    `SELECT l.name FROM leases l JOIN unnest($1::text[], $2::bigint[]) AS h (name, epoch) USING (name, epoch)
     WHERE l.owner = $3`,
    [names, epochs, owner],
  );
  return new Set(rows.map(({ name }) => name));
}

export async function releaseLeases(sql: Sql, leases: readonly HeldLease[], owner: string): Promise<void> {
  if (leases.length === 0) return;
  await sql.query(
    `UPDATE leases l SET expires_at = '-infinity'
     FROM unnest($1::text[], $2::bigint[]) AS h (name, epoch)
     WHERE l.name = h.name AND l.epoch = h.epoch AND l.owner = $3`,
    [leases.map(({ name }) => name), leases.map(({ epoch }) => epoch), owner],
  );
}

/** Who holds a lease now, by the database's clock. */
export async function findLease(sql: Sql, name: string) {
  const [row] = await sql.query<{ owner: string; address: string; epoch: bigint }>(
    'SELECT owner, address, epoch FROM leases WHERE name = $1 AND expires_at >= clock_timestamp()',
    [name],
  );
  return row;
}

/**
 * Makes sure that a lease is still held with its epoch, and keeps it so until the transaction ends: who wants to take
 * it over waits for the row. The epoch alone decides; a lease that ran out and that nobody took is still ours.
 *
 * @throws LeaseLostError
 */
export async function assertLease(sql: Sql, lease: HeldLease): Promise<void> {
  const rows = await sql.query('SELECT 1 FROM leases WHERE name = $1 AND epoch = $2 FOR SHARE', [
    lease.name,
    lease.epoch,
  ]);
  if (rows.length === 0) throw new LeaseLostError(lease);
}
