import { z } from 'zod';

/** A batch that is asked for. */
export const batchSchema = z.strictObject({
  count: z.number().int().min(1).max(10_000).default(64),
  /** How long the leases hold; 0 for the default of ten minutes. */
  lease_seconds: z.number().min(0).max(86_400).default(0),
  /** Order of the batch: 0 for the most valuable first, any other number for a shuffle by it. */
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
});

/** Leases that are given back. */
export const returnSchema = z.strictObject({ lease_ids: z.array(z.string().min(1).max(200)).min(1).max(10_000) });
