import { z } from 'zod';

const address = /^[^\s,=]+:\d{1,5}$/;

/** `a=http://host:1,b=http://host:2` by name. */
const serviceAddresses = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(z.array(z.string().regex(/^[a-z]+=https?:\/\/\S+$/, 'must be name=http://host:port, separated by commas')))
  .transform(
    (parts) => new Map(parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])),
  );

/** From 9: a relay may repeat an event for a week and a day. */
const days = (fallback: number) => z.coerce.number().int().min(9).max(36_500).default(fallback).meta({ unit: 'days' });

/** What the gateway is told by its environment: `TIDEMARK_GATEWAY_…`. */
export const gatewayConfigSchema = z
  .object({
    tokenName: z
      .string()
      .regex(/^[\w.@-]{1,64}$/)
      .default('operator')
      .describe(
        'Name under which whoever bears the token that the gateway was started with submits. Without a token it is "local".',
      ),
    tokenRequestsPerSecond: z.coerce
      .number()
      .min(0.001)
      .max(1_000_000)
      .default(500)
      .meta({ unit: 'requests/s' })
      .describe('Requests that one token may send on average, at one replica; twice as many may come in a burst.'),
    tokenRequestsAtOnce: z.coerce
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(256)
      .meta({ unit: 'requests' })
      .describe('Requests and streams of one token in hand at once, at one replica.'),
    trustedToGrade: z
      .stringbool()
      .default(false)
      .describe(
        "Whether that submitter's own verdicts count without being judged again. Needs TIDEMARK_GATEWAY_MAC_SECRET.",
      ),
    macSecret: z
      .string()
      .min(16)
      .optional()
      .meta({ secret: true })
      .describe('Secret of the MAC by which ingest knows what came through the gateway; the same there.'),
    maxUploadBytes: z.coerce
      .number()
      .int()
      .min(1024)
      .max(2 ** 40)
      .default(2 * 2 ** 30)
      .meta({ unit: 'bytes' })
      .describe('Largest upload, decompressed.'),
    maxRecordBytes: z.coerce
      .number()
      .int()
      .min(1024)
      .max(16 * 2 ** 20)
      .default(16 * 2 ** 20)
      .meta({ unit: 'bytes' })
      .describe('Largest record.'),
    maxUploads: z.coerce
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(8)
      .meta({ unit: 'uploads' })
      .describe('Uploads in hand at once; one more is told to come back.'),
    selectAddress: z
      .union([z.literal(''), z.string().regex(address, 'must be host:port')])
      .default('')
      .describe('Where select answers gRPC, as host:port. Without it batches are not served.'),
    selectToken: z
      .string()
      .min(16)
      .optional()
      .meta({ secret: true })
      .describe('Token that select asks for, TIDEMARK_SELECT_GRPC_TOKEN there.'),
    keepUploadsDays: days(30).describe(
      'What became of the lines of an upload is answered for this long after it came last. What is asked by problem or by record id is answered as long as the problem is known.',
    ),
    keepGroupsDays: days(30).describe(
      'Graded groups are listed one by one for this long. At least as long as uploads; counts of verdicts stay.',
    ),
    keepHistoryDays: days(90).describe(
      'Commands and their audit log, evaluation points, moves between bins, and dead letters that are not open are listed for this long.',
    ),
    blobGraceHours: z.coerce
      .number()
      .int()
      .min(2)
      .max(8_760)
      .default(24)
      .meta({ unit: 'hours' })
      .describe(
        'How long a blob must have lain since it was put last, and since a sweep first found no name of it, before a sweep removes it. Above the longest time between storing a blob and committing the event that names it.',
      ),
    blobSweepHours: z.coerce
      .number()
      .int()
      .min(0)
      .max(8_760)
      .default(24)
      .meta({ unit: 'hours' })
      .describe('Time between two sweeps by the clock; 0: blobs are swept by command alone.'),
    grpcHost: z.string().default('127.0.0.1').describe('Address on which gRPC is served to producers and trainers.'),
    grpcPort: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe('Port of gRPC for producers and trainers; 0 takes a free one. Without it gRPC is not served.'),
    consoleFolder: z
      .string()
      .min(1)
      .optional()
      .describe("Folder of the built console, served at /. Without it the repository's own build."),
    consoleReview: z
      .stringbool()
      .optional()
      .describe(
        'Whether callers are shown hidden tests, held-out statements and what programs printed. Without it only where no access token is asked for.',
      ),
    serviceAddresses: serviceAddresses.describe(
      'Where the other services serve HTTP, as name=http://host:port separated by commas, for the status.',
    ),
  })
  .refine(({ trustedToGrade, macSecret }) => !trustedToGrade || macSecret !== undefined, {
    path: ['trustedToGrade'],
    message: 'needs TIDEMARK_GATEWAY_MAC_SECRET: without a MAC ingest trusts nobody',
  })
  .refine(({ keepGroupsDays, keepUploadsDays }) => keepGroupsDays >= keepUploadsDays, {
    path: ['keepGroupsDays'],
    message: 'must not be below TIDEMARK_GATEWAY_KEEP_UPLOADS_DAYS: lines of groups would read as never graded',
  });

export type GatewayConfig = z.output<typeof gatewayConfigSchema>;
