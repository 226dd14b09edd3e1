import type { HeldLease, Sql } from '../api.ts';
import { LeaseKeeper, type LeaseOwner } from '../injectables.ts';
import { findLease, type LeaseHolder, releaseLeases, renewLeases, takeLease } from './lease-table.ts';

interface Held extends HeldLease {
  /** By our own monotonic clock, from before the request: not after the database lets it run out. */
  validUntilMs: number;
}

/** {@link LeaseKeeper} on the table `leases`. */
export class TableLeaseKeeper extends LeaseKeeper {
  private readonly leases = new Map<string, Held>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly holder: LeaseHolder,
    private readonly ttlMs: number,
    private readonly onError: (error: unknown) => void,
  ) {
    super();
  }

  /** Renews in the background, three times within the life of a lease. */
  start(): void {
    this.timer = setTimeout(() => void this.renew(), this.ttlMs / 3);
  }

  async acquire(name: string): Promise<HeldLease | undefined> {
    const held = this.held(name);
    if (held !== undefined) return held;
    const askedAtMs = performance.now();
    const epoch = await takeLease(this.sql, name, this.holder, this.ttlMs);
    if (epoch === undefined) {
      this.leases.delete(name);
      return undefined;
    }
    const lease: Held = { name, epoch, validUntilMs: askedAtMs + this.ttlMs };
    this.leases.set(name, lease);
    return lease;
  }

  held(name: string): HeldLease | undefined {
    const lease = this.leases.get(name);
    return lease !== undefined && performance.now() < lease.validUntilMs ? lease : undefined;
  }

  async ownerOf(name: string): Promise<LeaseOwner | undefined> {
    const found = await findLease(this.sql, name);
    if (found === undefined) return undefined;
    return { epoch: found.epoch, address: found.address, here: found.owner === this.holder.owner };
  }

  async release(name: string): Promise<void> {
    const lease = this.leases.get(name);
    if (lease === undefined) return;
    this.leases.delete(name);
    await releaseLeases(this.sql, [lease], this.holder.owner);
  }

  /** Gives all leases back. */
  async stop(): Promise<void> {
    this.abandon();
    const leases = [...this.leases.values()];
    this.leases.clear();
    await releaseLeases(this.sql, leases, this.holder.owner);
  }

  /** Stops renewing and gives nothing back, like a crash. */
  abandon(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async renew(): Promise<void> {
    try {
      const leases = [...this.leases.values()];
      if (leases.length > 0) await this.renewAll(leases);
    } catch (error) {
      this.onError(error);
    }
    if (this.timer !== undefined) this.start();
  }

  private async renewAll(leases: readonly Held[]): Promise<void> {
    const askedAtMs = performance.now();
    const still = await renewLeases(this.sql, leases, this.holder.owner, this.ttlMs);
    for (const lease of leases) {
      if (still.has(lease.name)) lease.validUntilMs = askedAtMs + this.ttlMs;
      else if (this.leases.get(lease.name) === lease) this.leases.delete(lease.name);
    }
  }
}
