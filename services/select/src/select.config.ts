import { z } from 'zod';

/** Settings of select. */
export const selectConfig = z.object({
  grpcHost: z.string().default('127.0.0.1').describe('Address on which SelectService is served. Default 127.0.0.1.'),
  grpcPort: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(7410)
    .describe('Port of SelectService, 0 to 65,535; 0 takes a free one. Default 7410.'),
  grpcOpen: z
    .stringbool()
    .default(false)
    .describe(
      'Whether SelectService, which asks for no token, may bind to another address than loopback: the network has to keep strangers out. Default false.',
    ),
  leaseMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(86_400_000)
    .default(600_000)
    .describe(
      'How long a trainer holds a leased problem when it asks for no other time, in ms, 1,000 to 86,400,000. Default 600,000.',
    ),
  curatedPartitions: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(4)
    .describe('Partitions of a curated topic, fixed when it is created, 1 to 1,000. Default 4.'),
});
export type SelectConfig = z.output<typeof selectConfig>;
