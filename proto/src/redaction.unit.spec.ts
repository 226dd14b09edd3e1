import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import * as contracts from './index.ts';

/**
 * Fields of text that may be shown to whoever may read a topic: ids, names, codes, times and addresses, and words that
 * a service writes by itself. A field that isn't here holds (or may quote) a statement, code, a test or an output, and
 * has to be marked `[debug_redact = true]`.
 */
const shown = new Set(
  `benchmark, change, checked_benchmarks, checkpoint, cluster_id, code, command_id, content_sha256, difficulty_label,
  display_name, endpoint_model, endpoint_url, equal_statements, error_code, error_message, event_id, event_ids, evidence_checkpoint, extraction, facets,
  failing_test, file_sha256, format, founder_id, group_id, handler, holder, id, identity_sha256, incarnation, judge_version,
  kind, language, languages, lease_id, lease_ids, licence, merged_into, message, method, name, namespace, new_suite_hash,
  objective, old_suite_hash, platform, policy, problem_id, program_sha256, prompt_hash, prompt_template, reason, record_id,
  request_id, requested_by, results, review_id, reviewer, service, settings, sha256, solution_sha256, source_file,
  statement_language, statement_sha256, stop_sequences, subject_id, submitter, successor_id, suite_hash, target, title,
  topic, url, version, weak_reason, author, advice, field, group, idempotency_key, origin, stage, state, upload, withdrawn`.match(
    /\w+/g,
  ),
);

/** Content whose name is a name's elsewhere. */
const contentAnyway = new Set(['tidemark.problem.v1.AssertTest.code']);

const messages = Object.values(contracts).filter(
  (value): value is typeof value & DescMessage =>
    typeof value === 'object' && 'kind' in value && value.kind === 'message',
);

describe('a field of text or bytes', () => {
  const fields = messages
    .flatMap(({ fields: all }) => all.filter(holdsText))
    .map((field) => [nameOf(field), field] as const);

  it.each(fields)('%s is a name that may be shown, or is marked as content', (name, field) => {
    const mayBeShown = shown.has(field.name) && !contentAnyway.has(name);
    expect(field.proto.options?.debugRedact ?? false).toBe(!mayBeShown);
  });

  it('is looked for in every message', () => {
    expect(messages.length).toBeGreaterThan(50);
    expect(fields.map(([name]) => name)).toContain('tidemark.problem.v1.ProblemContent.starter_code');
  });
});

const nameOf = (field: DescField) => `${field.parent.typeName}.${field.name}`;

const isText = (scalar: ScalarType) => scalar === ScalarType.STRING || scalar === ScalarType.BYTES;

/** A map counts by its values: its keys are names. */
function holdsText(field: DescField): boolean {
  switch (field.fieldKind) {
    case 'scalar':
      return isText(field.scalar);
    case 'list':
      return field.listKind === 'scalar' && isText(field.scalar);
    case 'map':
      return field.mapKind === 'scalar' && isText(field.scalar);
    case 'message':
    case 'enum':
      return false;
  }
}
