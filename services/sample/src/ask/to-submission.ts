import { create } from '@bufbuild/protobuf';
import { hashOfFields } from '@tidemark/identity';
import {
  type RolloutsRequested,
  type RolloutsSubmitted,
  RolloutsSubmittedSchema,
  type TargetDeclared,
} from '@tidemark/proto';
import type { KeptAnswer } from '../postgres/answers.ts';

export interface Submission {
  readonly request: RolloutsRequested;
  readonly target: TargetDeclared;
  /** The version that the model saw. */
  readonly problemVersion: number;
  readonly answers: readonly KeptAnswer[];
  /** Why there are fewer answers than the request wants; empty when there are not. */
  readonly shortOf?: string;
  /** Hours since 1970. */
  readonly intakeHour: number;
}

/** The answers as a group to be graded. Its id follows from the request: a group counts once, however often it is sent. */
export function toSubmission({
  request,
  target,
  problemVersion,
  answers,
  shortOf,
  intakeHour,
}: Submission): RolloutsSubmitted {
  const { temperature = 0, topP = 0, maxTokens = 0 } = target.sampling ?? {};
  return create(RolloutsSubmittedSchema, {
    group: {
      groupId: hashOfFields('sampled group', request.requestId).slice(0, 32),
      target: request.target,
      targetVersion: target.version,
      checkpoint: request.checkpoint,
      problemId: request.problemId,
      version: problemVersion,
      purpose: request.purpose,
      promptHash: answers[0]?.promptHash ?? '',
      intakeHour,
    },
    attempts: answers.map((answer, index) => ({
      index,
      output: answer.output,
      stopReason: answer.stopReason,
      promptTokens: answer.promptTokens,
      outputTokens: answer.outputTokens,
      ...(answer.seed === undefined ? {} : { seed: answer.seed }),
    })),
    submitter: { name: 'sample' },
    sampler: {
      name: target.endpointModel,
      settings: {
        temperature: String(temperature),
        top_p: String(topP),
        max_tokens: String(maxTokens),
        ...(shortOf ? { attempts_wanted: String(request.attempts), short_of: shortOf } : {}),
      },
    },
  });
}
