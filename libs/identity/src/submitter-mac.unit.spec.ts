import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { submitterMac, verifySubmitterMac } from './submitter-mac.ts';

const text = (value: string) => new TextEncoder().encode(value);
const submission = { submitter: 'trainer-1', trustedToGrade: true, payload: text('{"a":1}') };

describe('the gateway MAC over a submission', () => {
  it('is HMAC-SHA-256 over the length-prefixed fields', () => {
    const expected = createHmac('sha256', 'secret').update('tidemark-submitter-v1\n9:trainer-117:{"a":1}').digest();
    expect(Buffer.from(submitterMac('secret', submission))).toEqual(expected);
  });

  it('fails for another secret, name, trust or payload', () => {
    const mac = submitterMac('secret', submission);
    expect(verifySubmitterMac('secret', submission, mac)).toBe(true);
    expect(verifySubmitterMac('other', submission, mac)).toBe(false);
    expect(verifySubmitterMac('secret', { ...submission, submitter: 'trainer-2' }, mac)).toBe(false);
    expect(verifySubmitterMac('secret', { ...submission, trustedToGrade: false }, mac)).toBe(false);
    expect(verifySubmitterMac('secret', { ...submission, payload: text('{"a":2}') }, mac)).toBe(false);
    expect(verifySubmitterMac('secret', submission, mac.slice(0, 31))).toBe(false);
    expect(verifySubmitterMac('secret', submission, new Uint8Array())).toBe(false);
  });

  it('does not let a byte move from the name to the payload', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (name, moved, rest) => {
        fc.pre(moved !== '');
        const left = submitterMac('s', { submitter: name + moved, trustedToGrade: true, payload: text(rest) });
        const right = submitterMac('s', { submitter: name, trustedToGrade: true, payload: text(moved + rest) });
        return !Buffer.from(left).equals(Buffer.from(right));
      }),
    );
  });
});
