import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rolloutUploads } from './rollout-uploads.ts';
import { UploadDesk } from './upload-desk.ts';

/** Reporting rollouts. */
@Controller('v1/rollouts')
export class RolloutsIntakeController {
  constructor(private readonly desk: UploadDesk) {}

  /** NDJSON, or one JSON object, a group each: `rollouts.intake`. */
  @Post()
  submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.desk.serve(rolloutUploads, request, reply);
  }
}
