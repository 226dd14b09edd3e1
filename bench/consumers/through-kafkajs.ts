import { randomBytes } from 'node:crypto';
import { topics } from '@tidemark/event-log';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import pg from 'pg';
import { Clock, decide, decode, encode, TABLE, UPSERT_MANY, UPSERT_ONE } from './work.ts';

/** Events a second by kafkajs alone, without a fence or an outbox: a crash may lose or double what follows. */
export async function throughKafkajs(
  brokers: readonly string[],
  databaseUrl: string,
  count: number,
  how: 'one by one' | 'by batch',
): Promise<number> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const consumer = kafka.consumer({ groupId: randomBytes(6).toString('hex') });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const clock = new Clock();
  let done = 0;
  const finish = (some: number) => {
    done += some;
    if (done >= count) clock.end();
  };
  await pool.query(TABLE);
  await pool.query('TRUNCATE handled');
  await producer.connect();
  await consumer.connect();
  await consumer.subscribe({ topic: topics.problemsRaw.name, fromBeginning: true });
  const topic = topics.problemsNormalized.name;
  await consumer.run(
    how === 'one by one'
      ? {
          eachMessage: async ({ message }) => {
            clock.begin();
            const raw = decode(message.value ?? new Uint8Array());
            await pool.query({ name: 'one', text: UPSERT_ONE, values: [raw.problemId, raw.version] });
            await producer.send({ topic, messages: [{ key: raw.problemId, value: encode(decide(raw)) }] });
            finish(1);
          },
        }
      : {
          eachBatch: async ({ batch }) => {
            clock.begin();
            const all = batch.messages.map(({ value }) => decode(value ?? new Uint8Array()));
            await pool.query(UPSERT_MANY, [all.map((raw) => raw.problemId), all.map((raw) => raw.version)]);
            const messages = all.map((raw) => ({ key: raw.problemId, value: encode(decide(raw)) }));
            await producer.send({ topic, messages });
            finish(all.length);
          },
        },
  );
  const seconds = await clock.seconds();
  await consumer.disconnect();
  await producer.disconnect();
  await pool.end();
  return done / seconds;
}
