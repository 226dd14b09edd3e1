import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config.ts';
import { HttpProblem, tooLarge, unusable } from '../http/http-problem.ts';
import { sendNdjson } from '../http/send-ndjson.ts';
import { type SpooledBody, spoolBody } from './spool-body.ts';
import { readUploadSettings } from './upload-settings.ts';
import { type UploadKind, Uploads } from './uploads.ts';

/** One upload from request to answer, and a bound on how many there are at once. */
@Injectable()
export class UploadDesk {
  private inHand = 0;

  constructor(
    private readonly uploads: Uploads,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  async serve(kind: UploadKind, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const settings = readUploadSettings(request);
    this.checkAnnouncedSize(request);
    this.checkRoom();
    this.inHand += 1;
    let body: SpooledBody | undefined;
    try {
      body = await spoolBody(request.raw, {
        limitBytes: this.config.maxUploadBytes,
        encoding: request.headers['content-encoding'],
      });
      const answers = this.uploads.take(kind, body, settings);
      if (settings.single) await sendSingle(reply, answers);
      else await sendNdjson(reply, answers);
    } finally {
      // Awaiting a reply waits for its last byte, or for the caller to go away.
      this.inHand -= 1;
      await body?.dispose();
    }
  }

  private checkAnnouncedSize({ headers }: FastifyRequest): void {
    if (Number(headers['content-length'] ?? 0) <= this.config.maxUploadBytes) return;
    throw tooLarge('The upload', this.config.maxUploadBytes, 'Split the file and send the parts one after the other.');
  }

  private checkRoom(): void {
    if (this.inHand < this.config.maxUploads) return;
    throw new HttpProblem({
      status: 429,
      code: 'too_many_uploads',
      what: `${this.inHand} uploads are in hand, which is the limit.`,
      todo: 'Wait a few seconds and send it again.',
      retryAfterSeconds: 5,
    });
  }
}

/** A single record is answered by status: 202 with its event id, or 422 with the reason. */
async function sendSingle(reply: FastifyReply, answers: AsyncIterable<object>): Promise<void> {
  const all: object[] = [];
  for await (const answer of answers) all.push(answer);
  const [answer] = all;
  const { outcome, line: _line, ...rest } = answer as Readonly<Record<string, string>>;
  if (outcome === 'accepted') {
    await reply.status(202).send({ outcome, ...rest });
    return;
  }
  throw unusable(
    'The record was not taken.',
    [{ where: 'body', why: rest.reason ?? 'the body is empty' }],
    rest.do ?? 'Send one JSON object.',
  );
}
