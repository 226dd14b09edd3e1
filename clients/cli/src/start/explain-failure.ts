interface Where {
  readonly host: string;
  readonly port: number;
  readonly kafka?: string;
}

/** Why everything can't be started, with what to do, for the failures that a user can mend. */
export function explainFailure(error: unknown, { host, port, kafka }: Where): unknown {
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
  return error;
}
