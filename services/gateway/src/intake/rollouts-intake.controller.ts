import { create } from '@bufbuild/protobuf';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { RolloutsIntakeSchema } from '@tidemark/proto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readGroup } from './check-record.ts';
import { UploadDesk } from './upload-desk.ts';
import type { UploadKind } from './uploads.ts';

const rolloutUploads: UploadKind = {
  name: 'rollouts',
  read: ({ bytes, fileSha256, line, caller }) => readGroup(bytes, fileSha256, line, caller),
  publish: (tx, cause, { payload, submitter, settings, fileSha256, subject }) =>
    tx.publish(
      cause,
      topics.rolloutsIntake,
      create(RolloutsIntakeSchema, { format: settings.format, record: payload, submitter, fileSha256 }),
      subject.problemId,
    ),
};

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
