import { describe, expect, it } from 'vitest';
import { compare } from './comparison.ts';

const utf8 = new TextEncoder();
type Flags = { ignoreCase?: boolean; spaceSensitive?: boolean; tolerance?: { absolute: number; relative: number } };
const accepts = (expected: string, actual: string, flags: Flags = {}) =>
  compare({ kind: 'default_validator', ...flags }, utf8.encode(expected), utf8.encode(actual)).equal;
const within = (absolute: number, relative: number): Flags => ({ tolerance: { absolute, relative } });

describe("Kattis' default validator", () => {
  // From the format's specification and the reference implementation (problemtools, default_validator).
  it.each<[boolean, string, string, Flags?]>([
    [true, 'a b\n', 'a  b'],
    [true, 'a b\n', '\n\ta\r\n b\n\n'],
    [true, 'Yes', 'yES'],
    [false, 'Yes', 'yES', { ignoreCase: false }],
    [true, 'Yes', 'Yes', { ignoreCase: false }],
    [false, 'É', 'é'],
    [false, 'a b', 'a'],
    [false, 'a', 'a b'],
    [true, '', ' \n'],
    [false, '', 'x'],
    [false, '0.5', '.5'],
    [false, '3', '3.0'],
    [false, '0.0314', '3.14e-2'],
    [true, '0.0314', '3.14000000e-2', within(1e-6, 0)],
    [true, '3', '3.0', within(1e-6, 0)],
    [true, '3', '+3', within(0, 0)],
    [true, '1000000', '1000000.9', within(0, 1e-6)],
    [true, '1000000', '1000000.9', within(1e-9, 1e-6)],
    [false, '1000000', '1000000.9', within(1e-6, 1e-9)],
    [true, '0.000001', '0.0000015', within(1e-6, 1e-9)],
    // Exactly at the bound counts, whatever a double makes of it.
    [true, '0.3', '0.4', within(0.1, 0)],
    [false, '0.3', '0.4000000000000000001', within(0.1, 0)],
    [true, '-10', '-9', within(0, 0.1)],
    [false, '-10', '10', within(0.1, 0.1)],
    // Distances that a double of this size has not.
    [false, '1000000000000000', '1000000000000000.05', within(1e-6, 0)],
    [true, '1000000000000000', '1000000000000000.05', within(0.1, 0)],
    // Integers are numbers too here.
    [true, '50000000000000000', '50000000000000001', within(1e-6, 1e-6)],
    [false, '5', 'five', within(1, 1)],
    [true, 'five', 'FIVE', within(1, 1)],
    [false, 'five', '5', within(1, 1)],
    [false, '1', '1_0', within(100, 0)],
    [false, '1', 'nan', within(1e9, 1e9)],
    [false, '1', 'inf', within(1e9, 1e9)],
    [false, 'inf', 'inf', within(1, 1)],
    [true, '16', '0x10', within(0, 0)],
    [true, '3', '0x1.8p1', within(0, 0)],
    [true, 'a b\n', 'a b\n', { spaceSensitive: true }],
    [false, 'a b\n', 'a  b\n', { spaceSensitive: true }],
    [false, 'a b\n', 'a b', { spaceSensitive: true }],
    [false, 'a b', 'a b\n', { spaceSensitive: true }],
    [false, ' a', 'a', { spaceSensitive: true }],
    [false, 'a\nb', 'a b', { spaceSensitive: true }],
    [true, '1.0 x\n', '1.0000001 X\n', { spaceSensitive: true, ...within(1e-3, 0) }],
  ])('says %s of %j beside %j with %j', (verdict, expected, actual, flags = {}) => {
    expect(accepts(expected, actual, flags)).toBe(verdict);
  });

  it('is done soon with numbers that nobody can hold', () => {
    const long = '9'.repeat(200_000);
    expect(accepts('1', `1e${long}`, within(1, 1))).toBe(false);
    expect(accepts('1', long, within(1, 1))).toBe(false);
    expect(accepts(long, long, within(1, 1))).toBe(false);
    expect(accepts('1e-400', '1e-399', within(1e-9, 0))).toBe(true);
  });
});
