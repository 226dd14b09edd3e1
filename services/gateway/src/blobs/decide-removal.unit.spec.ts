import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRemoval } from './decide-removal.ts';

const HOUR = 3_600_000;
const now = 1_000 * HOUR;
const decide = (named: boolean, putHoursAgo: number, notedHoursAgo?: number) =>
  decideRemoval(
    {
      named,
      putAtMs: now - putHoursAgo * HOUR,
      unnamedSinceMs: notedHoursAgo === undefined ? undefined : now - notedHoursAgo * HOUR,
    },
    now,
    24 * HOUR,
  );

describe('a blob that is swept', () => {
  it.each([
    ['stays while it is named', decide(true, 900, 800), 'named'],
    ['stays when it was put within the grace', decide(false, 23), 'young'],
    ['is noted the first time', decide(false, 900), 'noted'],
    ['stays noted until a grace has passed', decide(false, 900, 23), 'noted'],
    ['goes the second time, a grace later', decide(false, 900, 25), 'removed'],
    ['is noted anew when it was put again since', decide(false, 25, 30), 'noted'],
  ])('%s', (_, decision, expected) => {
    expect(decision).toBe(expected);
  });

  it('is never removed when it is named, or was put within the grace', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(100), fc.option(fc.nat(100), { nil: undefined }), (named, put, noted) => {
        if (decide(named, put, noted) === 'removed') expect(!named && put > 24 && (noted ?? 0) >= 24).toBe(true);
      }),
    );
  });
});
