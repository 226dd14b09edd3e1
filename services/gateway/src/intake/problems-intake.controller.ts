import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemUploads } from './problem-uploads.ts';
import { UploadDesk } from './upload-desk.ts';

/** Offering problems. */
@Controller('v1/problems')
export class ProblemsIntakeController {
  constructor(private readonly desk: UploadDesk) {}

  /** NDJSON, or one JSON object: `problems.intake`. */
  @Post()
  offer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.desk.serve(problemUploads, request, reply);
  }
}
