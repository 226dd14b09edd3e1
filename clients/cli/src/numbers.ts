import { InvalidArgumentError } from 'commander';

/** Reads the name of a target. */
export function targetSlug(text: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError('A target has 1 to 63 of a-z, 0-9 and inner dashes.');
  }
  return text;
}

/** Reads an option that is a time. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number of seconds above 0.');
  return value;
}

/** Reads an option that is a whole number from 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}
