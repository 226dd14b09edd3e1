import { fromBinary } from '@bufbuild/protobuf';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { EventLog, LogRecord } from '@tidemark/event-log';
import { InjectEventLog } from '@tidemark/stage-runtime';
import type { FastifyReply } from 'fastify';
import { notFound } from '../http/http-problem.ts';
import { sendNdjson } from '../http/send-ndjson.ts';
import { schemaOfTopic } from './decode-record.ts';
import { messageJson } from './message-json.ts';

/** The log as it stands, for operators and for recounts that trust nobody. */
@Controller('v1/topics')
export class TopicsController {
  constructor(@InjectEventLog() private readonly log: EventLog) {}

  /** Names, partitions and bounds of every topic. */
  @Get()
  async list(): Promise<object> {
    const described = await this.log.admin.describeAll(await this.log.admin.list());
    const topics = [...described.values()].map((description) => {
      const partitions = description.partitions.map(({ logStart, logEnd }, partition) => ({
        partition,
        log_start: String(logStart),
        log_end: String(logEnd),
      }));
      return { topic: description.name, incarnation: description.incarnation, partitions };
    });
    return { topics };
  }

  /** NDJSON of every record up to the log's end of now: partition by partition, in offset order. */
  @Get(':topic')
  async dump(@Param('topic') topic: string, @Res() reply: FastifyReply): Promise<void> {
    const description = await this.log.admin.describe(topic);
    if (description === undefined || schemaOfTopic(topic) === undefined) {
      throw notFound('topic', topic, 'GET /v1/topics lists them.');
    }
    await sendNdjson(reply, this.records(topic, description.partitions));
  }

  private async *records(
    topic: string,
    partitions: readonly { logStart: bigint; logEnd: bigint }[],
  ): AsyncGenerator<object> {
    const stop = new AbortController();
    try {
      for (const [partition, { logStart, logEnd }] of partitions.entries()) {
        if (logStart >= logEnd) continue;
        const range = { topic, partition, from: logStart, until: logEnd, signal: stop.signal };
        for await (const record of this.log.read(range)) yield recordJson(record);
      }
    } finally {
      stop.abort();
    }
  }
}

function recordJson({ topic, partition, offset, key, headers, value, timestampMs }: LogRecord): object {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    topic,
    partition,
    offset: String(offset),
    timestamp: new Date(timestampMs).toISOString(),
    key: key === null ? null : text(key),
    headers: Object.fromEntries(Object.entries(headers).map(([name, bytes]) => [name, text(bytes)])),
    ...valueJson(topic, value),
  };
}

function valueJson(topic: string, value: Uint8Array | null): object {
  const schema = schemaOfTopic(topic);
  if (value === null || schema === undefined) return { value: null };
  try {
    return { value: messageJson(schema, fromBinary(schema, value)) };
  } catch {
    return { value: null, undecodable: true };
  }
}
