import { pathText, type Warning } from './faults.ts';
import { limits } from './limits.ts';

/** A warning at one place of a record. */
export interface Noticed {
  readonly code: Warning['code'];
  readonly path: readonly PropertyKey[];
  /** As {@link Warning.reason}, without how often. */
  readonly reason: string;
}

/**
 * One warning for all places that differ in indices alone, with their number; at most {@link limits.faults} of them, the
 * last of which counts those that are left out. So a record of 100,000 cases says once what all of them have in common.
 */
export function groupWarnings(noticed: Iterable<Noticed>): Warning[] {
  const groups = new Map<string, { first: Noticed; pattern: string; count: number }>();
  for (const one of noticed) {
    const pattern = pathText(one.path).replace(/\[\d+\]/g, '[]');
    const key = `${one.code} ${pattern}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: one, pattern, count: 1 });
    else group.count += 1;
  }
  const all = [...groups.values()];
  const told = all.length <= limits.faults ? all : all.slice(0, limits.faults - 1);
  const warnings = told.map(({ first, pattern, count }): Warning => {
    const { code, path, reason } = first;
    if (count === 1) return { code, field: pathText(path), reason };
    return { code, field: pattern, reason: `${reason} (${count} times)` };
  });
  const left = all.slice(told.length);
  if (left[0] !== undefined) {
    const places = left.reduce((sum, { count }) => sum + count, 0);
    const counted = (amount: number, one: string) => `${amount} ${amount === 1 ? one : `${one}s`}`;
    const fields = counted(left.length, 'more field');
    const reason = `warnings of ${fields}, at ${counted(places, 'place')}, are left out`;
    warnings.push({ code: left[0].first.code, field: '', reason });
  }
  return warnings;
}
