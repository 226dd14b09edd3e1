import { z } from 'zod';

/** Settings of ingest. */
export const ingestConfig = z.object({
  gatewaySecret: z
    .string()
    .default('')
    .describe(
      "Secret that the gateway's MAC is made with, as the gateway has it. Without it no submitter is taken for known. Default empty.",
    ),
  maxParkedPerSubmitter: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(10_000)
    .describe('Groups of one submitter that may wait for their problem or target, 0 to 1,000,000. Default 10,000.'),
  parkedForMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(7 * 86_400_000)
    .default(86_400_000)
    .describe(
      'How long a group waits before it is dead-lettered, in ms, 1,000 to 604,800,000. Default 86,400,000, a day.',
    ),
});
export type IngestConfig = z.output<typeof ingestConfig>;
