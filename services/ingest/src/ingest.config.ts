import { z } from 'zod';

/** Settings of ingest. */
export const ingestConfig = z.object({
  gatewaySecret: z
    .string()
    .default('')
    .meta({ secret: true })
    .describe(
      "Secret that the gateway's MAC is made with, as the gateway has it. Without it no submitter is taken for known.",
    ),
  maxParkedPerSubmitter: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(10_000)
    .meta({ unit: 'groups' })
    .describe(
      'Groups of one submitter that may wait for their problem or target; all whom nobody vouches for count as one.',
    ),
  parkedForMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(7 * 86_400_000)
    .default(86_400_000)
    .meta({ unit: 'ms' })
    .describe('How long a group waits before it is dead-lettered.'),
});
export type IngestConfig = z.output<typeof ingestConfig>;
