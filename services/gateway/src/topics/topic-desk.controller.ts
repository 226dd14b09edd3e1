import type { MessageInitShape } from '@bufbuild/protobuf';
import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { serviceNames } from '@tidemark/event-log';
import type { MoveOffsetsSchema } from '@tidemark/proto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Commands } from '../commands/commands.ts';
import { callerOf } from '../access/caller.ts';
import { readJson } from '../http/read-body.ts';
import { TopicDesk } from './topic-desk.ts';

const createSchema = z.strictObject({ partitions: z.number().int().min(1).max(1_000).default(4) });

const moveSchema = z.strictObject({
  service: z.enum(serviceNames),
  partition: z.number().int().min(0).max(100_000).optional(),
  to: z.union([z.enum(['start', 'end']), z.string().regex(/^\d{1,18}$/, 'must be start, end or an offset')]),
  /** Also past records that are there and were not read. */
  skip_unread: z.boolean().default(false),
});

/** Topics, for operators: made, checked, described, and the offsets at which services read on. */
@Controller('v1/topics')
export class TopicDeskController {
  constructor(
    private readonly desk: TopicDesk,
    private readonly commands: Commands,
  ) {}

  @Post()
  @HttpCode(200)
  async create(@Req() request: FastifyRequest): Promise<object> {
    const { partitions } = await readJson(request, createSchema);
    return await this.desk.create(partitions);
  }

  @Get('check')
  check(): Promise<object> {
    return this.desk.check();
  }

  @Get(':topic/description')
  describe(@Param('topic') topic: string): Promise<object> {
    return this.desk.describe(topic);
  }

  /** A command to the service: it says how it ended. */
  @Post(':topic/offsets')
  @HttpCode(202)
  async move(@Param('topic') topic: string, @Req() request: FastifyRequest): Promise<object> {
    const { service, partition, to, skip_unread } = await readJson(request, moveSchema);
    await this.desk.assertOrders(service);
    const value = { topic, to: placeOf(to), skipUnread: skip_unread, ...(partition !== undefined && { partition }) };
    return await this.commands.order(callerOf(request), service, 'move_offsets', topic, { case: 'moveOffsets', value });
  }
}

function placeOf(to: string): NonNullable<MessageInitShape<typeof MoveOffsetsSchema>['to']> {
  if (to === 'start') return { case: 'start', value: true };
  return to === 'end' ? { case: 'end', value: true } : { case: 'offset', value: BigInt(to) };
}
