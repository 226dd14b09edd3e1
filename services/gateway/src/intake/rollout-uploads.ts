import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { RolloutsIntakeSchema } from '@tidemark/proto';
import { readGroup } from './check-record.ts';
import type { UploadKind } from './uploads.ts';

/** Groups of attempts: `rollouts.intake`. */
export const rolloutUploads: UploadKind = {
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
