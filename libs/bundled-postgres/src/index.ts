/** The PostgreSQL that comes with the packages: made, started, adopted and stopped; as root, under a user of its own. */
export { BundledPostgresError, type BundledPostgresCode } from './errors.ts';
export { freePort } from './free-port.ts';
export { readPostmaster, type Postmaster } from './postmaster-file.ts';
export {
  type BundledPostgres,
  type BundledPostgresOptions,
  DEFAULT_SETTINGS,
  startBundledPostgres,
} from './start-bundled-postgres.ts';
