import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readQuery } from '../http/read-body.ts';
import { goneSignal, sendLive } from '../http/send-live.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { type CuratedChange, CuratedFeed } from './curated-feed.ts';
import { CuratedJson } from './curated-json.ts';

export const changesQuerySchema = z.object({
  /** Of the last line that was handled; empty to begin. */
  position: z.string().max(4_000).default(''),
});

/** The working set of a target, and every change of it. */
@Controller('v1/targets')
export class ChangesController {
  constructor(
    private readonly feed: CuratedFeed,
    private readonly targets: Targets,
    private readonly json: CuratedJson,
  ) {}

  /** NDJSON from a position on, until the reader leaves. */
  @Get(':slug/curated/changes')
  async follow(@Param('slug') slug: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { position } = readQuery(request, changesQuerySchema);
    const target = targetSlugOf(slug);
    await this.targets.assertKnown(target);
    const signal = goneSignal(reply);
    await sendLive(reply, this.lines(this.feed.follow(target, position, signal)));
  }

  private async *lines(changes: AsyncIterable<CuratedChange>): AsyncGenerator<object> {
    for await (const { position, ...change } of changes) {
      switch (change.kind) {
        case 'restart':
          yield { position, change: 'restart', reason: change.reason };
          break;
        case 'problem':
          yield { position, change: 'problem', problem: await this.json.whole(change.problem) };
          break;
        case 'left':
          yield { position, change: 'left', problem_id: change.problemId };
          break;
        case 'alive':
          yield { position, change: 'alive', caught_up: change.caughtUp };
      }
    }
  }
}
