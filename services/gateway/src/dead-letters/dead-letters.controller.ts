import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { StageDatabase, wholeLetter } from '@tidemark/stage-runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/caller.ts';
import { WHY_NOT_REVIEWED } from '../access/reviewing.ts';
import { notFound, unusable } from '../http/http-problem.ts';
import { readJson, readQuery } from '../http/read-body.ts';
import { type Chosen, DeadLetters, type Decided } from './dead-letters.ts';
import { letterContent } from './letter-content.ts';
import { letterId, letterPlace } from './letter-id.ts';
import { LetterReader } from './letter-reader.ts';
import { letterFilterSchema, letterJson, letterQuerySchema, listLetters, lockLetters } from './letter-rows.ts';

const contentSchema = z.object({ contents: z.stringbool().default(false) });

/** Letters by id, or by a filter; every open one only when that is said. */
const chosenSchema = letterFilterSchema.extend({
  ids: z.array(z.string().max(300)).min(1).max(5_000).optional(),
  all: z.boolean().default(false),
});

/** Records that services could not take: looked at, handled again, or put away. */
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly database: StageDatabase,
    private readonly letters: DeadLetters,
    private readonly reader: LetterReader,
    private readonly blobs: BlobStore,
  ) {}

  @Get()
  list(@Req() request: FastifyRequest): Promise<object> {
    return listLetters(this.database, readQuery(request, letterQuerySchema));
  }

  /** One letter with what it holds: without contents, unless they are asked for by who may see hidden tests. */
  @Get(':id')
  async show(@Param('id') id: string, @Req() request: FastifyRequest): Promise<object> {
    const { contents } = readQuery(request, contentSchema);
    const place = letterPlace(id);
    const [row] = await this.database.transaction('show-dead-letter', (tx) => lockLetters(tx, [place]));
    if (row === undefined) throw notFound('dead letter', id, 'GET /v1/dead-letters lists them.');
    const letter = (await this.reader.read([place])).get(letterId(place));
    const whole = letter && (await wholeLetter(this.blobs, letter));
    const shown = contents && callerOf(request).mayReview;
    return {
      ...letterJson(row),
      record: whole === undefined ? null : letterContent(whole, shown),
      ...(contents && !shown && { contents_withheld: WHY_NOT_REVIEWED }),
    };
  }

  @Post('replay')
  @HttpCode(202)
  async replay(@Req() request: FastifyRequest): Promise<object> {
    return answer(await this.letters.replay(callerOf(request), await chosenOf(request)), 'replayed');
  }

  @Post('drop')
  @HttpCode(200)
  async drop(@Req() request: FastifyRequest): Promise<object> {
    return answer(await this.letters.drop(callerOf(request), await chosenOf(request)), 'dropped');
  }
}

const answer = ({ decided, refused, more }: Decided, name: string): object => ({ [name]: decided, refused, more });

async function chosenOf(request: FastifyRequest): Promise<Chosen> {
  const { ids, all, ...filter } = await readJson(request, chosenSchema.strict());
  const filtered = Object.values(filter).some((value) => value !== undefined);
  if (ids !== undefined && !all && !filtered) return { ids: ids.map(letterPlace) };
  if (ids === undefined && (filtered || all)) return { filter };
  const why = ids === undefined ? 'names no letter' : 'names letters, and others by a filter';
  const todo = 'Give ids; or topic, service, code or problem_id; or "all": true for every open letter.';
  throw unusable('Which dead letters?', [{ where: 'body', why }], todo);
}
