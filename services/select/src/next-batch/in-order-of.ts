import { hashOfFields } from '@tidemark/identity';

/** The same things in an order that a seed and their ids alone decide; as they come for seed 0. */
export function inOrderOf<T>(seed: bigint, things: readonly T[], idOf: (thing: T) => string): T[] {
  if (seed === 0n) return [...things];
  return things
    .map((thing) => ({ thing, place: hashOfFields('batch order', String(seed), idOf(thing)) }))
    .sort((left, right) => (left.place < right.place ? -1 : 1))
    .map(({ thing }) => thing);
}
