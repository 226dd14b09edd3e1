import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Payload, PayloadSchema, type StopReason } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** One model output that came, in its place in the group. */
export interface KeptAnswer {
  /** 0-based. */
  readonly slot: number;
  readonly output: Payload;
  readonly stopReason: StopReason;
  /** 0 when unknown. */
  readonly promptTokens: number;
  /** 0 when unknown. */
  readonly outputTokens: number;
  readonly seed: bigint | undefined;
  readonly promptHash: string;
  /** Versions that the model was shown. */
  readonly problemVersion: number;
  readonly targetVersion: number;
}

/**
 * Keeps answers; a slot that is filled stays as it is, so that a call made twice counts once. Only an answer to another
 * prompt (the problem's text changed within its version) is replaced.
 */
export async function addAnswers(sql: Sql, requestId: string, answers: readonly KeptAnswer[]): Promise<void> {
  await sql.query(
    `INSERT INTO answer (request_id, slot, output, stop_reason, prompt_tokens, output_tokens, seed, prompt_hash,
       problem_version, target_version)
     SELECT $1, * FROM unnest($2::int[], $3::bytea[], $4::int[], $5::int[], $6::int[], $7::bigint[], $8::text[],
       $9::int[], $10::int[])
     ON CONFLICT (request_id, slot) DO UPDATE SET output = excluded.output, stop_reason = excluded.stop_reason,
       prompt_tokens = excluded.prompt_tokens, output_tokens = excluded.output_tokens, seed = excluded.seed,
       prompt_hash = excluded.prompt_hash, problem_version = excluded.problem_version,
       target_version = excluded.target_version
     WHERE answer.prompt_hash <> excluded.prompt_hash`,
    [
      requestId,
      answers.map(({ slot }) => slot),
      answers.map(({ output }) => Buffer.from(toBinary(PayloadSchema, output))),
      answers.map(({ stopReason }) => stopReason),
      answers.map(({ promptTokens }) => promptTokens),
      answers.map(({ outputTokens }) => outputTokens),
      answers.map(({ seed }) => seed?.toString() ?? null),
      answers.map(({ promptHash }) => promptHash),
      answers.map(({ problemVersion }) => problemVersion),
      answers.map(({ targetVersion }) => targetVersion),
    ],
  );
}

/** The slots that hold an answer to this prompt. */
export async function filledSlots(sql: Sql, requestId: string, promptHash: string): Promise<ReadonlySet<number>> {
  const rows = await sql.query<{ slot: number }>('SELECT slot FROM answer WHERE request_id = $1 AND prompt_hash = $2', [
    requestId,
    promptHash,
  ]);
  return new Set(rows.map(({ slot }) => slot));
}

/** Takes the answers out, in the order of their slots. */
export async function takeAnswers(sql: Sql, requestId: string): Promise<readonly KeptAnswer[]> {
  const rows = await sql.query<{
    slot: number;
    output: Buffer;
    stop_reason: StopReason;
    prompt_tokens: number;
    output_tokens: number;
    seed: bigint | string | null;
    prompt_hash: string;
    problem_version: number;
    target_version: number;
  }>('DELETE FROM answer WHERE request_id = $1 RETURNING *', [requestId]);
  return rows
    .map((row) => ({
      slot: row.slot,
      output: fromBinary(PayloadSchema, row.output),
      stopReason: row.stop_reason,
      promptTokens: row.prompt_tokens,
      outputTokens: row.output_tokens,
      seed: row.seed === null ? undefined : BigInt(row.seed),
      promptHash: row.prompt_hash,
      problemVersion: row.problem_version,
      targetVersion: row.target_version,
    }))
    .sort((a, b) => a.slot - b.slot);
}
