import { type BundledPostgres } from '@tidemark/bundled-postgres';
import { type KafkaBroker } from './kafka-broker.ts';
import { startOwnKafka } from './start-own-kafka.ts';
import { startOwnPostgres } from './start-own-postgres.ts';

let postgres: Promise<BundledPostgres> | undefined;
let kafka: Promise<KafkaBroker> | undefined;

/** The one server of this process, started by the first call. */
export async function postgresOfThisProcess(): Promise<BundledPostgres> {
  postgres ??= startOwnPostgres();
  return postgres;
}

/** The one broker of this process, started by the first call. */
export async function kafkaOfThisProcess(): Promise<KafkaBroker> {
  kafka ??= startOwnKafka();
  return kafka;
}

/** Stops whatever was started; nothing when nothing was. */
export async function stopServersOfThisProcess(): Promise<void> {
  const started = [postgres, kafka];
  postgres = kafka = undefined;
  await Promise.all(started.map(async (server) => (await server?.catch(() => undefined))?.stop()));
}
