import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/caller.ts';
import { readBytes, readQuery } from '../http/read-body.ts';
import { goneSignal, sendLive } from '../http/send-live.ts';
import { splitLines } from '../intake/split-lines.ts';
import { readUploadSettings } from '../intake/upload-settings.ts';
import { Grading } from './grading.ts';

const BODY_BYTES = 64 * 2 ** 20;

export const gradeQuerySchema = z.object({
  /** Seconds to wait for verdicts. */
  wait: z.coerce.number().min(0).max(600).default(60),
});

/** Groups in, verdicts out. */
@Controller('v1/rollouts')
export class GradingController {
  constructor(private readonly grading: Grading) {}

  /** One group a line, or one JSON object; answered with a line for each as it is graded. */
  @Post('grade')
  async grade(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { wait } = readQuery(request, gradeQuerySchema);
    const settings = readUploadSettings(request);
    const body = await readBytes(request, BODY_BYTES);
    const groups = settings.single ? [body] : await linesOf(body);
    const signal = goneSignal(reply);
    await sendLive(reply, this.grading.grade(callerOf(request), groups, settings, wait * 1_000, signal));
  }
}

async function linesOf(body: Uint8Array): Promise<Uint8Array[]> {
  const lines: Uint8Array[] = [];
  for await (const line of splitLines(once(body), BODY_BYTES)) if (line.kind === 'line') lines.push(line.bytes);
  return lines;
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
