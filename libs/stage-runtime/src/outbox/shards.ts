/** Relays of one service. Never changes: rows already written bear their shard. */
export const SHARDS = 4;

/** FNV-1a over the key: events of one key leave in order, through one relay. Records without a key share one. */
export function shardOf(key: Uint8Array | null): number {
  let hash = 0x811c9dc5;
  for (const byte of key ?? []) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % SHARDS;
}
