import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inBursts } from './in-bursts.ts';

const options = { most: 3, mostBytes: 100, lingerMs: 50 };
const one = (size = 1) => new Uint8Array(size);

async function* from(...things: (Uint8Array | Promise<unknown>)[]): AsyncGenerator<Uint8Array> {
  for (const thing of things) {
    if (thing instanceof Uint8Array) yield thing;
    else await thing;
  }
}

async function sizesOf(source: AsyncIterable<Uint8Array>): Promise<number[]> {
  const sizes: number[] = [];
  for await (const burst of inBursts(source, options)) sizes.push(burst.length);
  return sizes;
}

describe('records in bursts', () => {
  it('go together up to a number and a size', async () => {
    expect(await sizesOf(from(one(), one(), one(), one()))).toEqual([3, 1]);
    expect(await sizesOf(from(one(100), one(), one()))).toEqual([1, 2]);
    expect(await sizesOf(from())).toEqual([]);
  });

  it('do not wait for one that is late, and do not lose it', async () => {
    let bring: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      bring = resolve;
    });
    const bursts = inBursts(from(one(), late, one(), one()), options);
    expect((await bursts.next()).value).toHaveLength(1);
    bring();
    expect((await bursts.next()).value).toHaveLength(2);
    expect((await bursts.next()).done).toBe(true);
  });

  it('are all there, in order, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(255), { maxLength: 40 }), async (numbers) => {
        const seen: number[] = [];
        for await (const burst of inBursts(from(...numbers.map((n) => Uint8Array.of(n))), options)) {
          seen.push(...burst.map(([n]) => n ?? -1));
        }
        expect(seen).toEqual(numbers);
      }),
      { numRuns: 30 },
    );
  });

  it('end with the fault of their source, after what came before it', async () => {
    const failing = from(one(), Promise.reject(new Error('gone')));
    const bursts = inBursts(failing, options);
    await expect(
      (async () => {
        for await (const burst of bursts) expect(burst).toHaveLength(1);
      })(),
    ).rejects.toThrow('gone');
  });

  it('ask for nothing while nobody takes what is there', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked += 1;
        yield one();
      }
    }
    const bursts = inBursts(endless(), options);
    await bursts.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked).toBe(3);
    await bursts.return(undefined);
  });
});
