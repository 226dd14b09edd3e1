import { z } from 'zod';

/** Settings of dedup. */
export const dedupConfig = z.object({
  heldOutShare: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of clusters that are kept for the exam and never shown to a trainer, 0 to 1. Default 0.1.'),
  splitSeed: z
    .string()
    .min(1)
    .default('tidemark')
    .describe(
      'Seed of the draw for the exam. Another seed draws others; what was published keeps its side. Default tidemark.',
    ),
});
export type DedupConfig = z.output<typeof dedupConfig>;
