import { z } from 'zod';

/** Settings of `sample`; each is read from `TIDEMARK_SAMPLE_<NAME>`. */
export const sampleConfigSchema = z.object({
  endpointTokens: z
    .string()
    .default('')
    .meta({ secret: true })
    .describe(
      'Access tokens of endpoints: origin=token, separated by blanks, for example https://models.example=abc. A token is sent to its own origin alone.',
    ),
  endpointTokensFile: z
    .string()
    .default('')
    .describe('File with further tokens in the same form, read at start; empty for none.'),
  groupsAtOnce: z.coerce
    .number()
    .int()
    .min(1)
    .max(256)
    .default(4)
    .meta({ unit: 'groups' })
    .describe('Groups that are asked for at the same time by one replica.'),
  callsAtOnce: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .meta({ unit: 'calls' })
    .describe('Calls at the same time for one group, where an endpoint gives one choice a call.'),
  requestTimeoutMs: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(300_000)
    .meta({ unit: 'ms' })
    .describe('Longest wait for one answer.'),
  patienceMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(30_000)
    .meta({ unit: 'ms' })
    .describe('An endpoint that asks to come back within this time is waited for in place.'),
  maxAnswerBytes: z.coerce
    .number()
    .int()
    .min(65_536)
    .max(268_435_456)
    .default(33_554_432)
    .meta({ unit: 'bytes' })
    .describe('Largest answer that is read.'),
  waitingHours: z.coerce
    .number()
    .min(0.001)
    .max(720)
    .default(24)
    .meta({ unit: 'hours' })
    .describe('How long a request waits for its problem or target to become known.'),
});

export type SampleConfig = z.output<typeof sampleConfigSchema>;
