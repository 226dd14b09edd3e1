import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideMove } from './decide-move.ts';

const bounds = { logStart: 10n, logEnd: 20n };
const start = { case: 'start', value: true } as const;
const end = { case: 'end', value: true } as const;
const at = (value: bigint) => ({ case: 'offset', value }) as const;

describe('moving a stored offset', () => {
  it('goes from before the log to its start, and counts what was lost', () => {
    const move = decideMove(4n, bounds, { to: start, skipUnread: false });
    expect(move).toEqual({ kind: 'move', to: 10n, lost: 6n, passedOver: 0n });
  });

  it('goes from behind the log to its start: nothing of it counts as read', () => {
    expect(decideMove(25n, bounds, { to: start, skipUnread: false })).toMatchObject({ to: 10n, lost: 0n });
    expect(decideMove(25n, bounds, { to: end, skipUnread: false }).kind).toBe('refused');
  });

  it('passes unread records over only when it is told to', () => {
    expect(decideMove(15n, bounds, { to: end, skipUnread: false }).kind).toBe('refused');
    expect(decideMove(15n, bounds, { to: end, skipUnread: true })).toMatchObject({ to: 20n, passedOver: 5n });
    expect(decideMove(20n, bounds, { to: end, skipUnread: false })).toMatchObject({ to: 20n, passedOver: 0n });
  });

  it('never leaves the log, and passes nothing over unasked', () => {
    const offset = fc.bigInt(0n, 30n);
    fc.assert(
      fc.property(offset, offset, fc.boolean(), (next, wanted, skipUnread) => {
        const move = decideMove(next, bounds, { to: at(wanted), skipUnread });
        if (move.kind === 'refused') return;
        expect(move.to >= bounds.logStart && move.to <= bounds.logEnd).toBe(true);
        if (!skipUnread) expect(move.passedOver).toBe(0n);
      }),
    );
  });

  it('is refused when the order does not say where to', () => {
    expect(decideMove(15n, bounds, { to: { case: undefined }, skipUnread: true }).kind).toBe('refused');
  });
});
