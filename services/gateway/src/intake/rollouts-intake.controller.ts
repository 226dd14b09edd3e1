import { create } from '@bufbuild/protobuf';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { RolloutsIntakeSchema } from '@tidemark/proto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UploadDesk } from './upload-desk.ts';
import type { UploadKind } from './uploads.ts';

const rolloutUploads: UploadKind = {
  name: 'rollouts',
  identify({ value: { group, problem, namespace, id } }) {
    const key =
      typeof problem === 'string' ? problem : [namespace, id].filter((part) => typeof part === 'string').join(' ');
    return { key: key || undefined, answer: typeof group === 'string' ? { group } : {} };
  },
  publish: (tx, cause, { payload, submitter, settings, fileSha256 }, key) =>
    tx.publish(
      cause,
      topics.rolloutsIntake,
      create(RolloutsIntakeSchema, { format: settings.format, record: payload, submitter, fileSha256 }),
      key,
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
