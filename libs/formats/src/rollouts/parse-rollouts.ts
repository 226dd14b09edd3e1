import {
  groupId,
  groupIdOf,
  isCheckpointId,
  isGroupId,
  isProblemId,
  isTargetSlug,
  problemIdOf,
  TARGET_SLUG_RULE,
} from '@tidemark/identity';
import { z } from 'zod';
import type { Fault, Warning } from '../faults.ts';
import { groupWarnings, type Noticed } from '../group-warnings.ts';
import { integer, integer64, name, recordId, text } from '../json/fields.ts';
import { type Plain, toPlain } from '../json/plain.ts';
import { readFields } from '../json/read-fields.ts';
import { readRecord, readRecordText } from '../json/read-record.ts';
import { limits } from '../limits.ts';
import { type RecordAttempt, type RolloutRecord, recordVerdicts } from './rollout-record.ts';

/** What a record of rollouts turned out to be. */
export type ParsedRollouts =
  | { readonly kind: 'group'; readonly record: RolloutRecord; readonly warnings: readonly Warning[] }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] };

/** Where the record stood, for the id of a group without one. */
export interface RolloutPlace {
  /** SHA-256 of the whole file. */
  readonly fileSha256: string;
  /** Number of the record in the file. */
  readonly record: number;
}

const MAX_COUNT = 2 ** 31 - 1;
const HEX_64 = /^[0-9a-f]{64}$/;

const attempt = z
  .strictObject({
    output: text(limits.outputBytes).optional(),
    prompt_tokens: integer(0, MAX_COUNT).optional(),
    output_tokens: integer(0, MAX_COUNT).optional(),
    truncated: z.boolean().default(false),
    seed: integer64().optional(),
    verdict: z.enum(recordVerdicts).optional(),
  })
  .transform(
    (one): RecordAttempt => ({
      output: one.output,
      promptTokens: one.prompt_tokens,
      outputTokens: one.output_tokens,
      truncated: one.truncated,
      seed: one.seed,
      verdict: one.verdict,
    }),
  );

const schema = z.strictObject({
  format: z.enum(['tidemark.rollouts.v1', 'tidemark']).optional(),
  group: z
    .string()
    .refine(isGroupId, { error: 'has to have 1 to 200 characters, none of them control characters' })
    .optional(),
  target: z.string().refine(isTargetSlug, { error: `is no target: ${TARGET_SLUG_RULE}` }),
  target_version: integer(1, MAX_COUNT).optional(),
  checkpoint: z.string().refine(isCheckpointId, { error: 'has to have 1 to 128 printable characters without blanks' }),
  problem: z.string().refine(isProblemId, { error: 'is no problem id: 32 lower-case hexadecimal digits' }).optional(),
  problem_version: integer(1, MAX_COUNT).optional(),
  namespace: name(limits.namespaceCharacters).optional(),
  id: recordId().optional(),
  purpose: z.enum(['train', 'calibrate', 'evaluate']).default('train'),
  lease: name(limits.nameCharacters, 0).default(''),
  prompt_sha256: z.string().regex(HEX_64, { error: 'is no SHA-256: 64 lower-case hexadecimal digits' }).optional(),
  suite_hash: z.string().regex(HEX_64, { error: 'is no suite hash: 64 lower-case hexadecimal digits' }).optional(),
  judge_version: name(limits.nameCharacters, 0).default(''),
  attempts: z.array(attempt).min(1).max(limits.attempts),
});

const holds = {
  target: 'the slug of a declared target, such as "my-model"',
  checkpoint: 'the name of a checkpoint of the target',
  problem: 'the problem id, or leave it out and give namespace and id',
  purpose: 'train, calibrate or evaluate',
  attempts: 'a list of {"output": …}',
  'attempts[]': 'an object with output',
  'attempts[].output': 'what the model wrote',
  'attempts[].verdict': `one of ${recordVerdicts.join(', ')}`,
};

/** Reads one group of attempts in the format `tidemark.rollouts.v1`. */
export function parseRollouts(source: Uint8Array | string, place: RolloutPlace): ParsedRollouts {
  const badCharacters = (path: string) => (/^attempts\[\d+\]\.output$/.test(path) ? 'allow' : 'refuse');
  const read = typeof source === 'string' ? readRecordText(source, badCharacters) : readRecord(source, badCharacters);
  if (read.kind === 'faulty') return read;
  const plain = toPlain(read.root, new Set());
  const repaired = repairOutputs(plain);
  const fields = readFields(schema, plain, holds);
  if (fields.kind === 'faulty') return fields;
  const row = fields.value;
  const faults = [...crossFaults(row)];
  const problem = row.problem ?? (row.namespace && row.id ? problemIdOf(row.namespace, row.id) : undefined);
  if (problem === undefined) {
    faults.unshift({
      code: 'missing_field',
      field: 'problem',
      reason: 'is missing, and so is namespace with id',
      advice: 'Give the problem id, or namespace and id of the record',
    });
  }
  if (problem === undefined || faults.length > 0) return { kind: 'faulty', faults: faults.slice(0, limits.faults) };
  return {
    kind: 'group',
    warnings: [...repaired, ...fields.warnings],
    record: {
      groupId: row.group === undefined ? groupIdOf(place.fileSha256, place.record, 0) : groupId(row.group),
      target: row.target,
      targetVersion: row.target_version,
      checkpoint: row.checkpoint,
      problemId: problem,
      problemVersion: row.problem_version,
      purpose: row.purpose,
      lease: row.lease,
      promptSha256: row.prompt_sha256 ?? '',
      attempts: row.attempts,
      suiteHash: row.suite_hash ?? '',
      judgeVersion: row.judge_version,
    },
  };
}

function* crossFaults(row: z.output<typeof schema>): Generator<Fault> {
  if (
    row.problem !== undefined &&
    row.namespace !== undefined &&
    row.id !== undefined &&
    problemIdOf(row.namespace, row.id) !== row.problem
  ) {
    yield {
      code: 'contradiction',
      field: 'problem',
      reason: 'is not the problem of this namespace and id',
      advice: 'Give one of the two',
    };
  }
  const graded = row.attempts.filter((one) => one.verdict !== undefined).length;
  if (graded > 0 && graded < row.attempts.length) {
    yield {
      code: 'contradiction',
      field: 'attempts',
      reason: `has verdicts for ${graded} of ${row.attempts.length} attempts`,
      advice: 'Give a verdict for every attempt, or for none',
    };
  }
  for (const [i, one] of row.attempts.entries()) {
    if (one.output === undefined && one.verdict === undefined) {
      yield {
        code: 'missing_field',
        field: `attempts[${i}].output`,
        reason: 'is missing',
        advice: `Add it: ${holds['attempts[].output']}`,
      };
    }
  }
}

/** Models write what they like; what no text can hold becomes U+FFFD, since leaving the attempt out would bias the rate. */
function repairOutputs(record: Plain): Warning[] {
  const repaired: Noticed[] = [];
  const attempts = (record as { [key: string]: Plain }).attempts;
  if (!Array.isArray(attempts)) return [];
  for (const [i, one] of attempts.entries()) {
    const fields = one as { output?: Plain } | null;
    if (typeof fields !== 'object' || fields === null || typeof fields.output !== 'string') continue;
    const clean = fields.output.toWellFormed().replaceAll('\0', '\uFFFD');
    if (clean === fields.output) continue;
    fields.output = clean;
    repaired.push({
      code: 'repaired_character',
      path: ['attempts', i, 'output'],
      reason: 'held a NUL or half of a surrogate pair, which became U+FFFD',
    });
  }
  return groupWarnings(repaired);
}
