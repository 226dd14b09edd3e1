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

/** What the gateway is told by its environment: `TIDEMARK_GATEWAY_…`. */
export const gatewayConfigSchema = z.object({
  tokenName: z
    .string()
    .regex(/^[\w.@-]{1,64}$/)
    .default('operator')
    .describe(
      'Name under which whoever bears the access token submits. Without a token it is "local". Default operator.',
    ),
  trustedToGrade: z
    .stringbool()
    .default(false)
    .describe(
      "Whether that submitter's own verdicts count without being judged again. Needs macSecret. Default false.",
    ),
  macSecret: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Secret of the MAC by which ingest knows what came through the gateway; the same there. Min 16 characters.',
    ),
  maxUploadBytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(2 ** 40)
    .default(2 * 2 ** 30)
    .describe('Largest upload, decompressed, in bytes; 1 KiB to 1 TiB. Default 2 GiB.'),
  maxRecordBytes: z.coerce
    .number()
    .int()
    .min(1024)
    .max(16 * 2 ** 20)
    .default(16 * 2 ** 20)
    .describe('Largest record, in bytes; 1 KiB to 16 MiB. Default 16 MiB.'),
  maxUploads: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('Uploads in hand at once; one more is told to come back. 1 to 1,000. Default 8.'),
  selectAddress: z
    .union([z.literal(''), z.string().regex(address, 'must be host:port')])
    .default('')
    .describe('Where select answers gRPC, as host:port. Without it batches are not served. Default none.'),
  serviceAddresses: serviceAddresses.describe(
    'Where the other services serve HTTP, as name=http://host:port separated by commas, for the status. Default none.',
  ),
});

export type GatewayConfig = z.output<typeof gatewayConfigSchema>;

/** What does not go together. @throws Error naming the variables */
export function checkConfig(config: GatewayConfig): void {
  if (config.trustedToGrade && config.macSecret === undefined) {
    throw new Error(
      'TIDEMARK_GATEWAY_TRUSTED_TO_GRADE needs TIDEMARK_GATEWAY_MAC_SECRET: without a MAC ingest trusts nobody',
    );
  }
}
