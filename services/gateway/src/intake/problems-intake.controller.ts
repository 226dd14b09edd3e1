import { create } from '@bufbuild/protobuf';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { ProblemIntakeSchema } from '@tidemark/proto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readProblem } from './check-record.ts';
import { UploadDesk } from './upload-desk.ts';
import type { UploadKind } from './uploads.ts';

const problemUploads: UploadKind = {
  name: 'problems',
  read: ({ bytes, settings }) => readProblem(bytes, settings),
  publish: (tx, cause, { payload, submitter, settings, subject }) =>
    tx.publish(
      cause,
      topics.problemsIntake,
      create(ProblemIntakeSchema, {
        format: settings.format,
        record: payload,
        namespace: settings.namespace,
        originKind: settings.originKind,
        licence: settings.licence,
        submitter,
      }),
      subject.problemId,
    ),
};

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
