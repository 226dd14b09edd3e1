import { z } from 'zod';
import { limits, utf8Length } from '../limits.ts';
import { JsonNumber, RawJson } from './plain.ts';

/** Text of at most `bytes` bytes of UTF-8. */
export const text = (bytes: number) =>
  z.string().refine((value) => value.length <= bytes && utf8Length(value) <= bytes, {
    error: `is larger than ${bytes} bytes`,
    params: { code: 'too_large' },
  });

/** Text of `least` to `most` characters without control characters. */
export const name = (most: number, least = 1) =>
  z
    .string()
    .refine((value) => value.length >= least && value.length <= most, {
      error: `has to have ${least} to ${most} characters`,
    })
    .refine((value) => !/\p{Cc}/u.test(value), { error: 'holds control characters' });

/** An integer as written, within JavaScript's exact range. */
export const integer = (least: number, most: number) =>
  z
    .instanceof(JsonNumber, { error: 'has to be an integer' })
    .transform((value) => (/^-?\d+$/.test(value.source) ? Number(value.source) : Number.NaN))
    .refine((value) => Number.isSafeInteger(value) && value >= least && value <= most, {
      error: `has to be an integer from ${least} to ${most}`,
    });

/** An integer of up to 64 bits with its sign, exact. */
export const integer64 = () =>
  z
    .instanceof(JsonNumber, { error: 'has to be an integer' })
    .refine(
      (value) => /^-?\d{1,19}$/.test(value.source) && BigInt.asIntN(64, BigInt(value.source)) === BigInt(value.source),
      {
        error: 'has to be an integer of up to 64 bits',
      },
    )
    .transform((value) => BigInt(value.source));

/** A finite number of at least 0. */
export const tolerance = () =>
  z
    .instanceof(JsonNumber, { error: 'has to be a number' })
    .transform((value) => Number(value.source))
    .refine((value) => Number.isFinite(value) && value >= 0, { error: 'has to be a number of 0 or more' });

const digits = z
  .instanceof(JsonNumber)
  .refine((value) => /^-?\d+$/.test(value.source))
  .transform((value) => value.source);

/** Text, or an integer taken by its digits: sources number their records either way. */
export const recordId = () =>
  z
    .union([z.string(), digits], {
      error: 'has to be text or an integer',
    })
    .refine((value) => value.length >= 1 && value.length <= limits.recordIdCharacters && !/\p{Cc}/u.test(value), {
      error: `has to have 1 to ${limits.recordIdCharacters} characters, none of them control characters`,
    });

/** Any JSON value, kept as written. */
export const rawJson = () => z.instanceof(RawJson, { error: 'has to be a JSON value' });

/** Text at a path that is kept raw because another form of the record has any JSON value there. */
export const rawText = () =>
  z
    .instanceof(RawJson, { error: 'has to be text' })
    .refine((value) => value.node.kind === 'string', { error: 'has to be text' })
    .transform((value) => (value.node.kind === 'string' ? value.node.value : ''));

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** `YYYY-MM-DD` (taken as midnight UTC) or RFC 3339, answered as RFC 3339 in UTC with milliseconds. */
export const date = () =>
  z.string().transform((value, context) => {
    const match = DATE.exec(value);
    const parsed = match
      ? new Date(
          match[2]
            ? `${match[1]}T${match[2]}${(match[3] ?? '').slice(0, 4)}${match[4]?.toUpperCase()}`
            : `${match[1]}T00:00:00Z`,
        )
      : undefined;
    // JavaScript takes February 31 for March 3: the day has to come out as it went in.
    if (!match || !parsed || Number.isNaN(parsed.getTime()) || !isCalendarDay(match[1] as string)) {
      context.addIssue({ code: 'custom', message: 'is no date: write YYYY-MM-DD or RFC 3339' });
      return z.NEVER;
    }
    return parsed.toISOString();
  });

function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
