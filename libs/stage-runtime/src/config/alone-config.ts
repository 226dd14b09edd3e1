import { z } from 'zod';

/** What a service that runs alone is told by its environment, beside its own schema. Prefix `TIDEMARK_`. */
export const aloneConfigSchema = z.object({
  environment: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/)
    .default('local')
    .describe('Name of the installation, part of group and writer names; 1 to 32 of a-z, 0-9 and dash.'),
  databaseUrl: z
    .url({ protocol: /^postgres(ql)?$/ })
    .meta({ secret: true })
    .describe(
      'PostgreSQL, as postgres://user:password@host:port/db; over TLS with ?sslmode=verify-full, and &sslrootcert=<file> for an authority of your own.',
    ),
  kafkaBrokers: z
    .string()
    .regex(/^[^\s,]+:\d+(\s*,\s*[^\s,]+:\d+)*$/, 'expected host:port, separated by commas')
    .optional()
    .describe('Kafka brokers as host:port, separated by commas. Without it the log is kept in PostgreSQL.'),
  kafkaReplication: z.coerce
    .number()
    .int()
    .min(1)
    .max(9)
    .default(3)
    .meta({ unit: 'copies' })
    .describe(
      'Copies of each partition of new topics; at least two must have a record before it counts as written, where there are two.',
    ),
  kafkaTls: z
    .stringbool()
    .default(false)
    .describe(
      "Whether brokers are spoken to over TLS, their certificates checked by the system's authorities or kafkaCaFile.",
    ),
  kafkaCaFile: z.string().optional().describe("Authorities of the brokers' certificates, a file in PEM. Turns TLS on."),
  kafkaCertFile: z
    .string()
    .optional()
    .describe('Certificate by which this service is known to the brokers, a file in PEM; with kafkaKeyFile.'),
  kafkaKeyFile: z.string().optional().describe('Key of kafkaCertFile, a file in PEM.'),
  kafkaSaslMechanism: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('How this service logs in at the brokers; with kafkaUser and kafkaPassword.'),
  kafkaUser: z.string().optional().describe('User name of the login.'),
  kafkaPassword: z.string().optional().meta({ secret: true }).describe('Password of the login.'),
  blobFolder: z.string().default('.tidemark/blobs').describe('Folder of the blob store.'),
  httpHost: z.string().default('127.0.0.1').describe('Address that HTTP binds to.'),
  httpPort: z.coerce.number().int().min(0).max(65535).default(0).describe('Port of HTTP; 0 takes a free one.'),
  accessToken: z
    .string()
    .min(16)
    .optional()
    .meta({ secret: true })
    .describe('Token for HTTP; needed on any address but loopback.'),
  advertisedAddress: z
    .string()
    .optional()
    .describe(
      'Where others reach what this replica owns, as host:port; of select that of its gRPC. Told to callers who ask a replica that does not own their target.',
    ),
  poolSize: z.coerce
    .number()
    .int()
    .min(4)
    .max(100)
    .default(6)
    .meta({ unit: 'connections' })
    .describe('Connections to PostgreSQL that it keeps at most, beside one for LISTEN.'),
  partitions: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(4)
    .meta({ unit: 'partitions' })
    .describe('Partitions of new topics; fixed when a topic is created.'),
  restored: z
    .stringbool()
    .default(false)
    .describe(
      'Set for the first start after the database was restored from a backup: what was published since the backup is looked up in the log, so that what is said next counts as newer.',
    ),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least level of the lines that are logged.'),
});
export type AloneConfig = z.output<typeof aloneConfigSchema>;
