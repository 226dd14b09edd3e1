import { describe, expect, it } from 'vitest';
import { Slots } from './slots.ts';

describe('slots', () => {
  it('never let in more than there are, and the urgent first', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    let inside = 0;
    const work = (name: string) => async () => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      order.push(name);
      inside--;
    };
    await Promise.all([
      slots.within('ordinary', work('first')),
      slots.within('ordinary', work('ordinary')),
      slots.within('urgent', work('urgent')),
    ]);
    expect(order).toEqual(['first', 'urgent', 'ordinary']);
  });

  it('give a place back after a failure', async () => {
    const slots = new Slots(1);
    await expect(slots.within('ordinary', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await slots.within('ordinary', () => Promise.resolve(1))).toBe(1);
  });
});
