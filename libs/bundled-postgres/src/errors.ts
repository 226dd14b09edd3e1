/** What can keep the bundled server from running, as stable codes. */
export type BundledPostgresCode =
  | 'postgres.unsupported_platform'
  | 'postgres.folder_unreadable'
  | 'postgres.no_server_user'
  | 'postgres.initdb_failed'
  | 'postgres.start_failed';

/** The bundled server cannot run here; the message says what to change. Never retriable without that change. */
export class BundledPostgresError extends Error {
  override readonly name = 'BundledPostgresError';
  readonly retriable = false;

  constructor(
    readonly code: BundledPostgresCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
