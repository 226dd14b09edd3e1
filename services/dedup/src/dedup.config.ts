import { z } from 'zod';

/** Settings of dedup. */
export const dedupConfig = z.object({
  heldOutShare: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .meta({ unit: 'of clusters' })
    .describe('Share of clusters that are kept for the exam and never shown to a trainer.'),
  splitSeed: z
    .string()
    .min(1)
    .default('tidemark')
    .describe('Seed of the draw for the exam. Another seed draws others; what was published keeps its side.'),
});
export type DedupConfig = z.output<typeof dedupConfig>;
