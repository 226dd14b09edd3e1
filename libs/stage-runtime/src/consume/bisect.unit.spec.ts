import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DependencyFault, RecordFault } from '../api.ts';
import { handleBisecting } from './bisect.ts';

interface Item {
  readonly id: string;
  readonly fault: 'none' | 'named' | 'unnamed';
}

/** A batch whose handler meets faults in order, and undoes what it did, as a savepoint does. */
async function run(items: readonly Item[]) {
  const handled: string[] = [];
  const laidAside: string[] = [];
  let attempts = 0;
  await handleBisecting(items, {
    async attempt(records) {
      attempts++;
      for (const { id, fault } of records) {
        if (fault === 'named') throw new RecordFault('bad', 'named', { id, traceparent: undefined });
        if (fault === 'unnamed') throw new Error('unnamed');
      }
      handled.push(...records.map(({ id }) => id));
    },
    async layAside({ id }) {
      laidAside.push(id);
    },
  });
  return { handled, laidAside, attempts };
}

const batch = fc
  .array(fc.constantFrom<Item['fault']>('none', 'none', 'none', 'named', 'unnamed'), { maxLength: 60 })
  .map((faults) => faults.map((fault, index): Item => ({ id: String(index), fault })));

describe('bisecting a batch', () => {
  it('handles exactly the good records, in order and once, and lays exactly the others aside', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (items) => {
        const { handled, laidAside } = await run(items);
        const isGood = ({ fault }: Item) => fault === 'none';
        expect(handled).toEqual(items.filter(isGood).map(({ id }) => id));
        expect([...laidAside].sort()).toEqual(
          items
            .filter((item) => !isGood(item))
            .map(({ id }) => id)
            .sort(),
        );
      }),
    );
  });

  it('needs no more than two attempts a halving for one bad record', async () => {
    const items = Array.from(
      { length: 512 },
      (_, index): Item => ({
        id: String(index),
        fault: index === 300 ? 'unnamed' : 'none',
      }),
    );
    expect((await run(items)).attempts).toBeLessThanOrEqual(1 + 2 * 9);
  });

  it('ends at once when a dependency is at fault', async () => {
    let attempts = 0;
    const steps = {
      async attempt() {
        attempts++;
        throw new DependencyFault('database', 'away');
      },
      async layAside() {
        throw new Error('never for a dependency');
      },
    };
    await expect(handleBisecting([{ id: 'a' }, { id: 'b' }], steps)).rejects.toThrow(DependencyFault);
    expect(attempts).toBe(1);
  });
});
