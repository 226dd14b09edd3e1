import pg from 'pg';
import { DataSource } from 'typeorm';
import type { MigrationClass } from '../define-service.ts';
import { ForgottenProblems1700000600000 } from './forgotten-problems.ts';
import { JobOrigins1700000400000 } from './job-origins.ts';
import { JobWaits1700000200000 } from './job-waits.ts';
import { OutboxAge1700000100000 } from './outbox-age.ts';
import { OutboxRefused1700000300000 } from './outbox-refused.ts';
import { OutboxRefusedIndex1700000500000 } from './outbox-refused-index.ts';
import { RuntimeTables1700000000000 } from './runtime-tables.ts';

export interface DatabaseOptions {
  readonly databaseUrl: string;
  /** The service's schema: its name. */
  readonly schema: string;
  readonly poolSize: number;
  readonly migrations: readonly MigrationClass[];
  readonly onIdleError: (error: Error) => void;
  /** How long a statement may take, and how long it may wait for a lock, in ms; 0 for ever. Default 60,000 and 0. */
  readonly limits?: { readonly statementMs: number; readonly lockMs: number };
}

/** A hung statement must end before the leases that the work is done under are somebody else's. */
const DEFAULT_LIMITS = { statementMs: 60_000, lockMs: 0 };

const INT8_OID = 20;
const runtimeMigrations = [
  RuntimeTables1700000000000,
  OutboxAge1700000100000,
  JobWaits1700000200000,
  OutboxRefused1700000300000,
  JobOrigins1700000400000,
  OutboxRefusedIndex1700000500000,
  ForgottenProblems1700000600000,
];

/** A pool of connections that see the service's own schema, and nothing else, without being told in each query. */
export function createDataSource(options: DatabaseOptions): DataSource {
  const { statementMs, lockMs } = options.limits ?? DEFAULT_LIMITS;
  const settings = {
    search_path: options.schema,
    statement_timeout: `${statementMs}ms`,
    lock_timeout: `${lockMs}ms`,
    idle_in_transaction_session_timeout: '120s',
  };
  return new DataSource({
    type: 'postgres',
    url: options.databaseUrl,
    schema: options.schema,
    applicationName: `tidemark-${options.schema}`,
    poolSize: options.poolSize,
    connectTimeoutMS: 10_000,
    poolErrorHandler: options.onIdleError,
    installExtensions: false,
    logging: false,
    migrationsTableName: 'migrations',
    migrations: [...runtimeMigrations, ...options.migrations],
    extra: {
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      types: { getTypeParser: typeParser },
    },
  });
}

/** Counts and ids come as bigint, as they do from protobuf. */
function typeParser(oid: number, format: 'text' | 'binary' = 'text'): (value: string) => unknown {
  if (oid === INT8_OID && format === 'text') return BigInt;
  return pg.types.getTypeParser(oid, format) as (value: string) => unknown;
}
