import { randomBytes } from 'node:crypto';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, type KafkaOptions, Payload, Transport } from '@nestjs/microservices';
import { topics } from '@tidemark/event-log';
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import pg from 'pg';
import { Clock, decide, decode, encode, TABLE, UPSERT_ONE } from './work.ts';

let clock = new Clock();
let pool: pg.Pool;
let producer: Producer;
let left = 0;

@Controller()
class OnProblemRaw {
  @EventPattern(topics.problemsRaw.name)
  async handle(@Payload() bytes: object): Promise<void> {
    clock.begin();
    const raw = decode(bytes as Buffer);
    await pool.query({ name: 'one', text: UPSERT_ONE, values: [raw.problemId, raw.version] });
    const messages = [{ key: raw.problemId, value: encode(decide(raw)) }];
    await producer.send({ topic: topics.problemsNormalized.name, messages });
    left -= 1;
    if (left === 0) clock.end();
  }
}

@Module({ controllers: [OnProblemRaw] })
class NestModule {}

/** Events a second through Nest's own Kafka server, without a fence or an outbox. */
export async function throughNest(brokers: readonly string[], databaseUrl: string, count: number): Promise<number> {
  clock = new Clock();
  left = count;
  pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  await pool.query(TABLE);
  await pool.query('TRUNCATE handled');
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const options: KafkaOptions = {
    transport: Transport.KAFKA,
    options: {
      client: { brokers: [...brokers], logLevel: logLevel.NOTHING },
      consumer: { groupId: randomBytes(6).toString('hex') },
      subscribe: { fromBeginning: true },
      parser: { keepBinary: true },
    },
  };
  const app = await NestFactory.createMicroservice(NestModule, { ...options, logger: false });
  await app.listen();
  const seconds = await clock.seconds();
  await app.close();
  await producer.disconnect();
  await pool.end();
  return count / seconds;
}
