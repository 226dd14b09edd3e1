import { openKafkaEventLog } from '@tidemark/event-log';
import { startKafka, startOwnPostgres } from '@tidemark/testing-servers';
import { type Bench, round, spreadOf } from './bench.ts';
import { throughKafkajs } from './consumers/through-kafkajs.ts';
import { throughNest } from './consumers/through-nest.ts';
import { throughStage } from './consumers/through-stage.ts';
import { fill } from './consumers/work.ts';

const ROUNDS = 3;
/** Enough for seconds of work by the slowest, which handles them one by one. */
const EVENTS = Number(process.env['TIDEMARK_BENCH_EVENTS'] ?? 8_000);
const PARTITIONS = 4;

/** What the runtime's transactions cost or save, beside consumers that have none. */
export const bench: Bench = {
  asks:
    `How many of ${EVENTS} events a second go through the stage runtime (decode, decide, state, outbox, offset, publish: ` +
    "each effect once) on both logs, beside Nest's own Kafka server and kafkajs alone (one by one, and by batch), which do " +
    'the same work without a transaction around it?',
  async measure() {
    const postgres = await startOwnPostgres();
    const kafka = await startKafka({ own: true });
    const log = openKafkaEventLog({ brokers: kafka.brokers, replicationFactor: 1, minInsyncReplicas: 1 });
    const rates = { kafka: [], embedded: [], nest: [], oneByOne: [], byBatch: [] } as Record<string, number[]>;
    try {
      await fill(log, PARTITIONS, EVENTS);
      // Taking turns, so that a busy neighbour slows all.
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        rates['nest']?.push(await throughNest(kafka.brokers, postgres.url, EVENTS));
        rates['kafka']?.push(await throughStage(log, PARTITIONS, EVENTS));
        rates['oneByOne']?.push(await throughKafkajs(kafka.brokers, postgres.url, EVENTS, 'one by one'));
        rates['embedded']?.push(await throughStage(undefined, PARTITIONS, EVENTS));
        rates['byBatch']?.push(await throughKafkajs(kafka.brokers, postgres.url, EVENTS, 'by batch'));
      }
    } finally {
      await log.close();
      await kafka.stop();
      await postgres.stop();
    }
    const ratio = (one: string, other: string) =>
      spreadOf((rates[one] ?? []).map((rate, turn) => rate / (rates[other]?.[turn] ?? Number.NaN)));
    return {
      kafkaToNest: ratio('kafka', 'nest'),
      embeddedToNest: ratio('embedded', 'nest'),
      kafkaToKafkajsOneByOne: ratio('kafka', 'oneByOne'),
      kafkaToKafkajsByBatch: ratio('kafka', 'byBatch'),
      kafkaEventsPerSecond: spreadOf(rates['kafka'] ?? []),
      embeddedEventsPerSecond: spreadOf(rates['embedded'] ?? []),
      nestEventsPerSecond: spreadOf(rates['nest'] ?? []),
      kafkajsOneByOneEventsPerSecond: spreadOf(rates['oneByOne'] ?? []),
      kafkajsByBatchEventsPerSecond: spreadOf(rates['byBatch'] ?? []),
      events: round(EVENTS),
      partitions: round(PARTITIONS),
      servers: 'Apache Kafka from its jars and PostgreSQL with fsync off, as the tests run them, loopback',
    };
  },
};
