import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  AnswerForm,
  ProblemVerifiedSchema,
  Purpose,
  RolloutsRequestedSchema,
  TargetDeclaredSchema,
  TestForm,
} from '@tidemark/proto';

/** A payload that travels inline. */
export function inlinePayload(text: string) {
  const bytes = new TextEncoder().encode(text);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: BigInt(bytes.length), inline: bytes };
}

export const aTarget = (target: string, endpointUrl: string, fields: object = {}) =>
  create(TargetDeclaredSchema, {
    target,
    version: 1,
    promptTemplate: 'Solve.\n{{statement}}',
    answerForm: AnswerForm.CHAT,
    sampling: { temperature: 0.7, topP: 0.9, maxTokens: 64, stopSequences: [] },
    groupSize: 8,
    endpointUrl,
    endpointModel: 'scripted',
    ...fields,
  });

/** A verified problem whose tests and reference hold words that must never be sent. */
export const aProblem = (problemId: string, statement = `Print ${problemId}.`, starterCode = '') =>
  create(ProblemVerifiedSchema, {
    problemId,
    version: 1,
    suiteHash: 'f'.repeat(64),
    suite: inlinePayload('HIDDEN-TESTS'),
    testCount: 1,
    content: {
      statement: inlinePayload(statement),
      starterCode,
      testForm: TestForm.STDIN,
      languages: ['python'],
      testSuite: inlinePayload('HIDDEN-TESTS'),
      solutions: [{ source: inlinePayload('HIDDEN-SOLUTION'), language: 'python', claimedRight: true }],
    },
  });

export const aRequest = (requestId: string, target: string, problemId: string, fields: object = {}) =>
  create(RolloutsRequestedSchema, {
    requestId,
    target,
    targetVersion: 1,
    checkpoint: 'base',
    problemId,
    version: 1,
    purpose: Purpose.CALIBRATE,
    attempts: 8,
    ...fields,
  });
