import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { ProblemIntakeSchema } from '@tidemark/proto';
import { readProblem } from './check-record.ts';
import type { UploadKind } from './uploads.ts';

/** Records of problems: `problems.intake`. */
export const problemUploads: UploadKind = {
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
