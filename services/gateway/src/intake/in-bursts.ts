export interface BurstOptions {
  readonly most: number;
  readonly mostBytes: number;
  /** How long the first of a burst waits for others, in ms. */
  readonly lingerMs: number;
}

/** What comes close together, together: nothing waits for longer than the linger, and nothing is read ahead. */
export async function* inBursts(
  source: AsyncIterable<Uint8Array>,
  { most, mostBytes, lingerMs }: BurstOptions,
): AsyncGenerator<Uint8Array[]> {
  const iterator = source[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<Uint8Array>> | undefined;
  const ask = (): Promise<IteratorResult<Uint8Array>> => {
    asked = iterator.next();
    // It may fail while nobody waits for it; whoever asks next is told.
    asked.catch(() => undefined);
    return asked;
  };
  try {
    for (;;) {
      const first = await (asked ?? ask());
      asked = undefined;
      if (first.done === true) return;
      const burst = [first.value];
      let bytes = first.value.length;
      const untilMs = performance.now() + lingerMs;
      while (burst.length < most && bytes < mostBytes) {
        const next = await orLate(ask(), untilMs - performance.now());
        if (next === undefined) break;
        asked = undefined;
        if (next.done === true) {
          yield burst;
          return;
        }
        burst.push(next.value);
        bytes += next.value.length;
      }
      yield burst;
    }
  } finally {
    await iterator.return?.();
  }
}

/** What is awaited, or undefined when it takes longer. */
async function orLate<T>(awaited: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}
