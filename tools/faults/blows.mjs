/** How faults deal their blows: seeded, each while work that was submitted just before is under way. */
import { setTimeout as delay } from 'node:timers/promises';

export const between = (random, from, to) => delay(from + random() * (to - from));

/** @returns the items in an order that the seed repeats */
export function shuffled(items, random) {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** `harm` of a fault: `count` blows, a share of the groups submitted before each, `fromMs` to `toMs` before it falls. */
export function blows(count, [fromMs, toMs], act) {
  return async (system, random) => {
    for (let blow = 0; blow < count; blow++) {
      system.feed(1 / (count + 1));
      await between(random, fromMs, toMs);
      await system.blow(() => act(system, random, blow));
    }
  };
}

/**
 * `harm` of a fault: each process once, in a seeded order; the one process of a system that is not apart three times. It
 * comes back beside the next blow.
 */
export function eachProcess([fromMs, toMs], act) {
  return async (system, random) => {
    const victims = system.parts.length === 1 ? Array(3).fill(system.parts[0]) : shuffled(system.parts, random);
    const returns = [];
    for (const victim of victims) {
      await victim.coming;
      system.feed(1 / (victims.length + 1));
      await between(random, fromMs, toMs);
      await system.blow(() => act(victim, random, system));
      victim.coming = between(random, 0, 1_000).then(() => victim.start());
      // Awaited below; until then a failure is not unheard of.
      victim.coming.catch(() => undefined);
      returns.push(victim.coming);
    }
    await Promise.all(returns);
  };
}
