import { InvalidArgumentError } from 'commander';

/** Reads an option that is a time. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number of seconds above 0.');
  return value;
}
