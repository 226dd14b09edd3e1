/**
 * Which partition a key belongs to: murmur2 with the seed of Kafka's Java client, sign bit cleared, modulo the count, as
 * Kafka's default partitioner does, so that records written by other clients with that default lie beside ours.
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** Spreads records without a key evenly. */
export class RoundRobin {
  #next = Math.floor(Math.random() * 1024);

  partition(partitions: number): number {
    this.#next = (this.#next + 1) % 0x7fffffff;
    return this.#next % partitions;
  }
}

const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/** MurmurHash2 in 32 bits (Appleby, public domain algorithm), as a signed integer. */
export function murmur2(data: Uint8Array): number {
  const length = data.length;
  const view = new DataView(data.buffer, data.byteOffset, length);
  let hash = SEED ^ length;
  const blocks = length >> 2;
  for (let i = 0; i < blocks; i += 1) {
    let k = Math.imul(view.getInt32(i * 4, true), M);
    k = Math.imul(k ^ (k >>> R), M);
    hash = Math.imul(hash, M) ^ k;
  }
  const tail = blocks * 4;
  const rest = length - tail;
  if (rest === 3) hash ^= view.getUint8(tail + 2) << 16;
  if (rest >= 2) hash ^= view.getUint8(tail + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ view.getUint8(tail), M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return (hash ^ (hash >>> 15)) | 0;
}
