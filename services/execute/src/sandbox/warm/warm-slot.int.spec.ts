import { expect, it } from 'vitest';
import type { SlotMeter } from '../accounting/accounting.ts';
import { Pipes } from './pipes.ts';
import type { WarmInterpreter } from './warm-interpreter.ts';
import { WarmSlot } from './warm-slot.ts';

it('says why no process could be made, and leaves no meter behind', async () => {
  let removed = false;
  const meter = { remove: () => Promise.resolve((removed = true)) } as unknown as SlotMeter;
  const interpreter = { driver: '', scripts: {} } as unknown as WarmInterpreter;
  const pipes = await Pipes.make(undefined);
  try {
    await expect(WarmSlot.start(['/no/such/program'], interpreter, '', pipes, meter)).rejects.toThrow(/ENOENT/);
    expect(removed).toBe(true);
  } finally {
    pipes.remove();
  }
});
