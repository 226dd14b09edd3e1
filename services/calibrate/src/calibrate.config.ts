import { z } from 'zod';

/** Settings of `calibrate`; each is read from `TIDEMARK_CALIBRATE_<NAME>`. */
export const calibrateConfigSchema = z.object({
  evaluateAfterGroups: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(1024)
    .meta({ unit: 'groups' })
    .describe('Unevaluated groups of a target that make an evaluation point; 0 switches this trigger off.'),
  evaluateAfterSeconds: z.coerce
    .number()
    .min(0)
    .max(86_400)
    .default(60)
    .meta({ unit: 's' })
    .describe('Age of the first unevaluated group that makes an evaluation point; 0 switches it off.'),
  windowHours: z.coerce
    .number()
    .int()
    .min(1)
    .max(8760)
    .default(168)
    .meta({ unit: 'hours' })
    .describe('How long the ids of counted groups live after their hour of intake; later groups are refused.'),
  commandPatienceSeconds: z.coerce
    .number()
    .min(0)
    .max(3600)
    .default(30)
    .meta({ unit: 's' })
    .describe('How long a command waits for its target to be declared before it is refused.'),
  intervalLevel: z.coerce
    .number()
    .gt(0.5)
    .lt(1)
    .default(0.95)
    .meta({ unit: 'of probability' })
    .describe('Probability of the highest-density interval that stands beside a pass rate.'),
});

export type CalibrateConfig = z.output<typeof calibrateConfigSchema>;
