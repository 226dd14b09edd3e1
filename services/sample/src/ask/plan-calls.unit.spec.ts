import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planCalls } from './plan-calls.ts';

describe('the next round of calls', () => {
  it('is one call for everything that is missing', () => {
    const plan = planCalls([1, 4, 5], { requestId: 'r', oneChoice: false, callsAtOnce: 2 });
    expect(plan.map(({ slots }) => slots)).toEqual([[1, 4, 5]]);
  });

  it('is several calls for one each, where the endpoint gives one choice', () => {
    const plan = planCalls([1, 4, 5], { requestId: 'r', oneChoice: true, callsAtOnce: 2 });
    expect(plan.map(({ slots }) => slots)).toEqual([[1], [4]]);
  });

  it('asks for nothing twice, and with seeds that stay the same', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(40)),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (missing, oneChoice, callsAtOnce) => {
          const options = { requestId: 'r', oneChoice, callsAtOnce };
          const plan = planCalls(missing, options);
          const slots = plan.flatMap((call) => call.slots);
          expect(new Set(slots).size).toBe(slots.length);
          expect(slots.every((slot) => missing.includes(slot))).toBe(true);
          expect(slots.length > 0).toBe(missing.length > 0);
          expect(planCalls(missing, options)).toEqual(plan);
          for (const { seed } of plan) expect(seed >= 0 && seed < 2 ** 31).toBe(true);
        },
      ),
    );
  });

  it('draws another seed for another slot or request', () => {
    const seeds = ['r', 's'].flatMap((requestId) =>
      planCalls([0, 1, 2], { requestId, oneChoice: true, callsAtOnce: 3 }).map(({ seed }) => seed),
    );
    expect(new Set(seeds).size).toBe(6);
  });
});
