import { z } from 'zod';

/** Settings of `score`; each is read from `TIDEMARK_SCORE_<NAME>`. */
export const scoreConfigSchema = z.object({
  maxReferenceBytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(16_777_216)
    .default(262_144)
    .meta({ unit: 'bytes' })
    .describe('Reference solutions above this size are not looked at.'),
});

export type ScoreConfig = z.output<typeof scoreConfigSchema>;
