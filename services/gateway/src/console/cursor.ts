import { z } from 'zod';

/** A place in a list as an opaque text for addresses: the sort key of the last row of the page before. */
export const cursorOf = (key: readonly (string | number | null)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** Reads {@link cursorOf} back. */
export function cursorSchema<Shape extends z.ZodType>(key: Shape) {
  return z
    .string()
    .max(2_000)
    .transform((text, context): z.output<Shape> => {
      const parsed = key.safeParse(jsonOrUndefined(text));
      if (parsed.success) return parsed.data;
      context.addIssue('must be the cursor that the page before gave');
      return z.NEVER;
    });
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}
