import type { z } from 'zod';

/** What a schema describes, not to be changed by who was given it. */
export type Answer<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** An answer is not what this program understands: the other side is of another release, or no gateway. */
export class UnfitAnswerError extends Error {
  /** @param faults each a place in the answer and what is wrong there */
  constructor(readonly faults: readonly string[]) {
    super(`The answer is not as expected: ${faults.join('; ')}.`);
    this.name = 'UnfitAnswerError';
  }
}

/** Most faults that are told of one answer. */
const MOST_FAULTS = 3;

/**
 * Checks an answer of the gateway. What a newer gateway says beyond the schema stays in it.
 *
 * @throws UnfitAnswerError
 */
export function fitAnswer<S extends z.ZodType>(schema: S, answer: unknown): Answer<S> {
  const read = schema.safeParse(answer);
  if (read.success) return answer as Answer<S>;
  throw new UnfitAnswerError(
    read.error.issues.slice(0, MOST_FAULTS).map(({ path, message }) => `${placeOf(path)}: ${message}`),
  );
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'the whole' : path.map(String).join('.');
