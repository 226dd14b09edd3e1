import { z } from 'zod';

/** Settings of normalize. */
export const normalizeConfig = z.object({
  maxStatementBytes: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(1_048_576)
    .default(262_144)
    .meta({ unit: 'bytes' })
    .describe('Largest statement that is taken.'),
  maxTestBytes: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(1_073_741_824)
    .default(67_108_864)
    .meta({ unit: 'bytes' })
    .describe('Largest set of tests that is taken.'),
});
export type NormalizeConfig = z.output<typeof normalizeConfig>;
