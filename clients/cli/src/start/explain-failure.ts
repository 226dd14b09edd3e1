interface Where {
  readonly host: string;
  readonly port: number;
  readonly kafka?: string;
  /** A PostgreSQL of the user's own. */
  readonly database?: string;
}

/** Why everything can't be started, with what to do, for the failures that a user can mend. */
export function explainFailure(error: unknown, { host, port, kafka, database }: Where): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('EADDRINUSE')) {
    const what = `port ${port} of ${host} is taken, by another Tidemark or another program`;
    return new Error(`${what}: name another one with --port, or stop what runs there`, { cause: error });
  }
  if (kafka !== undefined && /^Kafka: .*(ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|timeout)/i.test(message)) {
    const what = `no Kafka broker answers at ${kafka} (${message})`;
    return new Error(`${what}: start one, correct --kafka, or leave it out to keep the log in PostgreSQL`, {
      cause: error,
    });
  }
  if (message.startsWith('the data folder ')) {
    return new Error(`${message}; name another one with --data-folder`, { cause: error });
  }
  const why = database === undefined ? undefined : databaseFault(error, message);
  if (database !== undefined && why !== undefined) {
    const todo = 'correct --database, or leave it out to use the bundled one';
    return new Error(`the database at ${placeOf(database)} can't be used (${why}): ${todo}`, { cause: error });
  }
  return error;
}

/** Of a connection that could not be made, and of a server that refused it (SQLSTATE 28, 3D). */
function databaseFault(error: unknown, message: string): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOENT', 'EHOSTUNREACH'].includes(code)) {
    return message === '' ? code : message;
  }
  if (code === 'ERR_INVALID_URL') return 'that is no address, such as postgres://user@host:5432/name';
  return /^(28|3D)/.test(code) ? message : undefined;
}

/** Host and name, without the password. */
function placeOf(database: string): string {
  if (!URL.canParse(database)) return 'the address given';
  const { host, pathname } = new URL(database);
  return `${host}${pathname}`;
}
