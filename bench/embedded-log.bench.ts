import { type EventLog, openEmbeddedEventLog, type OutgoingRecord } from '@tidemark/event-log';
import { startPostgres } from '@tidemark/testing-servers';
import { type Bench, round, spreadOf } from './bench.ts';

const ROUNDS = 5;
const RECORDS = 20_000;
const PARTITIONS = 4;
/** About the size of an event whose big parts travel by reference. */
const VALUE = Buffer.alloc(500, 'x');
const SMALL_TRANSACTIONS = 200;

/** What the embedded log takes and gives on this machine; the consumer stores nothing, so this is the log alone. */
export const bench: Bench = {
  asks: `How many records of ${VALUE.length} bytes a second does the embedded log take and give, and how soon is one seen?`,
  async measure() {
    const postgres = await startPostgres();
    const log = await openEmbeddedEventLog({ connection: { connectionString: postgres.url }, maintenance: false });
    try {
      const large: number[] = [];
      const small: number[] = [];
      const consumed: number[] = [];
      const seenAfter: number[] = [];
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        const topic = `bench.round-${turn}.v1`;
        await log.admin.ensureTopics([
          { name: topic, partitions: PARTITIONS, cleanup: 'delete', retentionMs: 3_600_000, logAppendTime: false },
        ]);
        large.push(RECORDS / (await seconds(() => append(log, topic, RECORDS, 2_000))));
        small.push(SMALL_TRANSACTIONS / (await seconds(() => append(log, topic, SMALL_TRANSACTIONS, 1))));
        consumed.push((RECORDS + SMALL_TRANSACTIONS) / (await seconds(() => consumeAll(log, topic))));
        seenAfter.push(await latency(log, topic));
      }
      return {
        appendedPerSecond: spreadOf(large),
        singleAppendsPerSecond: spreadOf(small),
        consumedPerSecond: spreadOf(consumed),
        seenAfterMs: spreadOf(seenAfter),
        partitions: round(PARTITIONS),
        server: 'bundled PostgreSQL as the tests run it, loopback',
      };
    } finally {
      await log.close();
      await postgres.stop();
    }
  },
};

async function append(log: EventLog, topic: string, count: number, perTransaction: number): Promise<void> {
  const writer = await log.writer(`bench.${topic}`);
  for (let sent = 0; sent < count; sent += perTransaction) {
    const records = Array.from(
      { length: perTransaction },
      (_, i): OutgoingRecord => ({ topic, key: Buffer.from(`problem-${sent + i}`), value: VALUE, headers: {} }),
    );
    await writer.transaction(() => Promise.resolve(records));
  }
  await writer.close();
}

async function consumeAll(log: EventLog, topic: string): Promise<void> {
  const ends = (await log.admin.describe(topic))?.partitions.map(({ logEnd }) => logEnd) ?? [];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const open = new Set(ends.keys());
  const consumer = await log.consume({
    group: 'bench',
    topic,
    sessions: {
      open: ({ partition }) =>
        Promise.resolve({
          start: 0n,
          session: {
            onBatch: (batch) => {
              if (batch.nextOffset === ends[partition]) open.delete(partition);
              if (open.size === 0) resolve();
              return Promise.resolve('stored');
            },
          },
        }),
      onFault: (fault) => {
        throw fault;
      },
    },
  });
  await done;
  await consumer.stop();
}

/** From the start of an append to the record in the hands of one that follows. */
async function latency(log: EventLog, topic: string): Promise<number> {
  const ending = new AbortController();
  const end = (await log.admin.describe(topic))?.partitions[0]?.logEnd ?? 0n;
  const records = log.read({ topic, partition: 0, from: end, signal: ending.signal })[Symbol.asyncIterator]();
  const next = records.next();
  // It has to be waiting before the clock starts.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const writer = await log.writer(`bench.${topic}.latency`);
  await writer.transaction(() => Promise.resolve([]));
  const began = performance.now();
  const answered = next.then(() => performance.now() - began);
  // All partitions get one, whichever the key belongs to.
  const keys = Array.from({ length: 32 }, (_, i) => Buffer.from(`problem-${i}`));
  await writer.transaction(() => Promise.resolve(keys.map((key) => ({ topic, key, value: VALUE, headers: {} }))));
  const ms = await answered;
  ending.abort();
  await records.return?.();
  await writer.close();
  return ms;
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
