import type { LeaseKeeper } from '../injectables.ts';
import { SHARDS } from '../outbox/shards.ts';
import type { StageParts } from '../stage-parts.ts';
import type { OutboxBell } from './outbox-bell.ts';
import { leaseOfShard, ShardRelay } from './shard-relay.ts';

/** The relays of one replica: one a shard, of which those work whose lease it holds. */
export class Relay {
  private readonly shards: readonly ShardRelay[];

  constructor(
    parts: StageParts,
    private readonly leases: LeaseKeeper,
    private readonly bell: OutboxBell,
    pollMs: number,
  ) {
    this.shards = Array.from({ length: SHARDS }, (_, shard) => new ShardRelay(parts, leases, shard, pollMs));
  }

  start(): void {
    for (const shard of this.shards) shard.start();
    this.bell.listen((shard) => this.shards[shard]?.wake());
  }

  /** Rows were committed: wakes the own relay, and the other replicas where one of them may hold the shard. */
  wake(shards: ReadonlySet<number>): void {
    for (const shard of shards) {
      this.shards[shard]?.wake();
      if (this.leases.held(leaseOfShard(shard)) === undefined) this.bell.ring(shard);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.stop()));
  }
}
