import { z } from 'zod';

/** Settings of normalize. */
export const normalizeConfig = z.object({
  maxStatementBytes: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(1_048_576)
    .default(262_144)
    .describe('Largest statement that is taken, in bytes, 1,000 to 1,048,576. Default 262,144.'),
  maxTestBytes: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(1_073_741_824)
    .default(67_108_864)
    .describe('Largest set of tests that is taken, in bytes, 1,000 to 1,073,741,824. Default 67,108,864.'),
});
export type NormalizeConfig = z.output<typeof normalizeConfig>;
