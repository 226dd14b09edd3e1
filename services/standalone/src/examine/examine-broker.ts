import type { EventLog } from '@tidemark/event-log';
import { createLogger, openLog, parseConfig, type Variables, aloneConfigSchema } from '@tidemark/stage-runtime';
import { Ailment, type Finding, finding } from './finding.ts';

const PATIENCE_MS = 15_000;

/** @param env as a service that runs alone would be told */
export async function examineBroker(env: Variables): Promise<Finding> {
  if ((env.TIDEMARK_KAFKA_BROKERS ?? '') === '') {
    return { check: 'broker', ok: true, found: 'none is named; the log is kept in PostgreSQL' };
  }
  return await finding(
    'broker',
    'Start Apache Kafka, or correct TIDEMARK_KAFKA_BROKERS. A broker has to advertise an address that is reached from here (advertised.listeners).',
    () => look(env),
  );
}

async function look(env: Variables): Promise<string> {
  // Which database is named makes no difference here; without one the other settings could not be read.
  const config = parseConfig(aloneConfigSchema, '', { TIDEMARK_DATABASE_URL: 'postgres://unused', ...env });
  const log = await openLog(config, createLogger('doctor', 'silent'));
  try {
    await inTime(log.ping());
    const topics = await inTime(log.admin.list());
    return `${config.kafkaBrokers}, ${topics.length} topics`;
  } finally {
    await closeInTime(log);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new Ailment(
          `no answer within ${PATIENCE_MS / 1000} s`,
          'Look whether the broker runs, and whether its advertised address is reached from here.',
        ),
      );
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A client of a broker that is away may take its time to give up. */
async function closeInTime(log: EventLog): Promise<void> {
  await inTime(log.close()).catch(() => undefined);
}
