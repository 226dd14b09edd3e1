import { z } from 'zod';

/** Settings of select. */
export const selectConfig = z.object({
  grpcHost: z.string().default('127.0.0.1').describe('Address on which SelectService is served.'),
  grpcPort: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(7410)
    .describe('Port of SelectService; 0 takes a free one.'),
  grpcToken: z
    .string()
    .min(16)
    .optional()
    .meta({ secret: true })
    .describe(
      'Token that callers of SelectService bear, TIDEMARK_GATEWAY_SELECT_TOKEN there; needed on any address but loopback.',
    ),
  leaseMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(86_400_000)
    .default(600_000)
    .meta({ unit: 'ms' })
    .describe('How long a trainer holds a leased problem when it asks for no other time.'),
  curatedPartitions: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(4)
    .meta({ unit: 'partitions' })
    .describe('Partitions of a curated topic, fixed when it is created.'),
});
export type SelectConfig = z.output<typeof selectConfig>;
