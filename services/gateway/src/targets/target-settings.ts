import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { hashOfFields } from '@tidemark/identity';
import { AnswerForm, type TargetDeclared, TargetDeclaredSchema } from '@tidemark/proto';
import { policyNames } from '@tidemark/selection';
import { z } from 'zod';

const share = z.number().min(0).max(1);
const positive = z.number().int().min(1);

/** What `PUT /v1/targets/:slug` takes. Every field has a default, so that `{}` declares a target. */
export const targetSettingsSchema = z.strictObject({
  display_name: z.string().max(200).default(''),
  /** May hold {{statement}}, {{starter_code}}, {{entry_point}}; empty for the default. */
  prompt_template: z.string().max(64_000).default(''),
  answer_form: z.enum(['chat', 'completion']).default('chat'),
  sampling: z
    .strictObject({
      temperature: z.number().min(0).max(10).default(1),
      /** 0 leaves it to the endpoint. */
      top_p: share.default(0),
      /** Tokens; 0 leaves it to the endpoint. */
      max_tokens: z.number().int().min(0).max(10_000_000).default(0),
      stop_sequences: z.array(z.string().min(1).max(200)).max(64).default([]),
    })
    .prefault({}),
  /** Attempts of a group, G. */
  group_size: positive.max(1_024).default(8),
  bins: z
    .strictObject({
      mastered: share.default(0.9),
      easy: share.default(0.625),
      medium: share.default(0.125),
      unsolved_attempts: positive.max(1_000_000).default(8),
      enter: z.number().min(0.5).lt(1).default(0.7),
    })
    .refine(({ medium, easy, mastered }) => 0 < medium && medium < easy && easy < mastered && mastered < 1, {
      error: 'the edges must rise within 0 and 1: medium < easy < mastered',
    })
    .prefault({}),
  /** Weight of evidence for each checkpoint of age: above 0, at most 1. */
  retention: z.number().gt(0).max(1).default(0.9),
  selection: z
    .strictObject({
      policy: z
        .enum(policyNames, { error: `there is no such policy; there is ${policyNames.join(', ')}` })
        .default('edge'),
      bin_weights: z
        .record(z.enum(['hard', 'medium', 'easy']), z.number().min(0))
        .default({ hard: 1, medium: 1, easy: 0.3 }),
      working_set: positive.max(1_000_000).default(20_000),
      retest_rate: share.default(0.02),
      retest_rate_new_checkpoint: share.default(0.05),
      synthetic_share: share.default(0),
      parameters: z.record(z.string().min(1).max(64), z.number()).default({}),
    })
    .prefault({}),
  /** Base address of an OpenAI-compatible endpoint; empty when the trainer samples itself. */
  endpoint_url: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
  endpoint_model: z.string().max(200).default(''),
  /** RFC 3339, or a date. */
  knowledge_cutoff: z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional(),
  /** Name of the first checkpoint, when the target is new. */
  checkpoint: z
    .string()
    .regex(/^[!-~]{1,128}$/, 'must be 1 to 128 printable characters without blanks')
    .default('base'),
});

/** A checkpoint to make known. */
export const checkpointSchema = z.strictObject({
  checkpoint: z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 printable characters without blanks'),
  /** Place in the line, from 0. Default: behind the newest. */
  ordinal: z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional(),
});

export type TargetSettings = z.output<typeof targetSettingsSchema>;

/** The settings as an event: version and times are left out. */
export function settingsMessage(target: string, settings: TargetSettings): TargetDeclared {
  const { sampling, bins, selection } = settings;
  const init: MessageInitShape<typeof TargetDeclaredSchema> = {
    target,
    displayName: settings.display_name,
    promptTemplate: settings.prompt_template,
    answerForm: settings.answer_form === 'completion' ? AnswerForm.COMPLETION : AnswerForm.CHAT,
    sampling: {
      temperature: sampling.temperature,
      topP: sampling.top_p,
      maxTokens: sampling.max_tokens,
      stopSequences: sampling.stop_sequences,
    },
    groupSize: settings.group_size,
    bins: {
      mastered: bins.mastered,
      easy: bins.easy,
      medium: bins.medium,
      unsolvedAttempts: bins.unsolved_attempts,
      enter: bins.enter,
    },
    retention: settings.retention,
    selection: {
      policy: selection.policy,
      binWeights: byName(selection.bin_weights),
      workingSet: selection.working_set,
      retestRate: selection.retest_rate,
      retestRateNewCheckpoint: selection.retest_rate_new_checkpoint,
      syntheticShare: selection.synthetic_share,
      parameters: byName(selection.parameters),
    },
    endpointUrl: settings.endpoint_url,
    endpointModel: settings.endpoint_model,
    ...(settings.knowledge_cutoff !== undefined && {
      knowledgeCutoff: timestampFromDate(new Date(settings.knowledge_cutoff)),
    }),
  };
  return create(TargetDeclaredSchema, init);
}

/** Equal for equal settings: what decides whether a declaration is a new version. 64 hexadecimal digits. */
export function settingsHash(settings: TargetDeclared): string {
  return hashOfFields('target-settings', toBinary(TargetDeclaredSchema, settings));
}

/** The settings as `GET /v1/targets` shows them: the same names as in the declaration. */
export function settingsJson(message: TargetDeclared): object {
  const { sampling, bins, selection } = message;
  return {
    display_name: message.displayName,
    prompt_template: message.promptTemplate,
    answer_form: message.answerForm === AnswerForm.COMPLETION ? 'completion' : 'chat',
    sampling: {
      temperature: sampling?.temperature,
      top_p: sampling?.topP,
      max_tokens: sampling?.maxTokens,
      stop_sequences: sampling?.stopSequences,
    },
    group_size: message.groupSize,
    bins: {
      mastered: bins?.mastered,
      easy: bins?.easy,
      medium: bins?.medium,
      unsolved_attempts: bins?.unsolvedAttempts,
      enter: bins?.enter,
    },
    retention: message.retention,
    selection: {
      policy: selection?.policy,
      bin_weights: selection?.binWeights,
      working_set: selection?.workingSet,
      retest_rate: selection?.retestRate,
      retest_rate_new_checkpoint: selection?.retestRateNewCheckpoint,
      synthetic_share: selection?.syntheticShare,
      parameters: selection?.parameters,
    },
    endpoint_url: message.endpointUrl,
    endpoint_model: message.endpointModel,
    ...(message.knowledgeCutoff !== undefined && {
      knowledge_cutoff: timestampDate(message.knowledgeCutoff).toISOString(),
    }),
  };
}

/** In the order of the names, so that equal maps have equal bytes. */
const byName = (map: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1)));
