import { Injectable } from '@nestjs/common';
import { OriginKind, type Split, type StageOutcome } from '@tidemark/proto';
import { type Sql, StageDatabase } from '@tidemark/stage-runtime';
import { type Caller, submitterSeenBy } from '../access/caller.ts';
import { notFound } from '../http/http-problem.ts';
import { originKindName, outcomeName, splitName, stageName } from '../read-model/names.ts';
import { openVersion } from './open-version.ts';
import { PROBLEM_COLUMNS, type ProblemRow, problemJson } from './problem-list.ts';
import { targetStories } from './target-story.ts';
import { type EvidenceRow, type NotesRow, type Sight, withoutDetails, withoutQuotes } from './without-quotes.ts';

/**
 * The whole story of one problem, from what the topics said. Never a statement, a solution or a model's output. What
 * stages quote of tests and outputs is for whoever may review alone, and so is what they quote of a text that is not open.
 */
@Injectable()
export class Explain {
  constructor(private readonly database: StageDatabase) {}

  /** Producers are told of what they offered, and nothing of targets. @throws HttpProblem 404 */
  explain(caller: Caller, problemId: string): Promise<object> {
    // One snapshot: a story whose chapters are of different moments contradicts itself.
    return this.database.transaction('explain', (tx) => this.tell(tx, caller, problemId), {
      isolation: 'repeatable read',
    });
  }

  private async tell(tx: Sql, caller: Caller, problemId: string): Promise<object> {
    const sight = caller.mayReview ? 'everything' : { openVersion: await openVersion(tx, problemId) };
    return tell(tx, problemId, caller, sight);
  }
}

async function tell(sql: Sql, problemId: string, caller: Caller, sight: Sight): Promise<object> {
  const submitter = submitterSeenBy(caller);
  const [problem] = await sql.query<ProblemRow>(
    `SELECT ${PROBLEM_COLUMNS} FROM problem WHERE problem_id = $1 AND ($2::text IS NULL OR submitter = $2)`,
    [problemId, submitter ?? null],
  );
  if (problem === undefined) {
    throw notFound(
      'problem',
      problemId,
      'Ask by namespace and record id: GET /v1/submissions; a new one takes a moment.',
    );
  }
  const one = async (columns: string, table: string) =>
    (await sql.query(`SELECT ${columns} FROM ${table} WHERE problem_id = $1`, [problemId]))[0] ?? null;
  return {
    ...problemJson(problem),
    origin: problem.origin,
    stages: await stagesOf(sql, problemId, sight),
    withdrawals: await withdrawalsOf(sql, problemId, sight),
    dead_letters: await deadLettersOf(sql, problemId),
    normalized: await normalizedOf(sql, problemId, sight),
    cluster: await clusterOf(sql, problemId),
    verified: await one(
      'version, suite_hash, test_count, shares_process, judge_version, reference_runs',
      'problem_verified',
    ),
    suite_changed: await one('version, old_suite_hash, new_suite_hash, reason, changed_at', 'suite_change'),
    score: await one('version, suite_hash, score, dimensions, features, predictor, assessments', 'problem_scored'),
    reviews: await reviewsOf(sql, problemId, sight),
    targets:
      problem.state === 'ready' && !problem.held_out && submitter === undefined
        ? await targetStories(sql, problemId, isSynthetic(problem))
        : [],
  };
}

const isSynthetic = ({ origin }: ProblemRow): boolean =>
  (origin as { kind?: string } | null)?.kind === originKindName(OriginKind.SYNTHETIC);

async function stagesOf(sql: Sql, problemId: string, sight: Sight): Promise<object[]> {
  const rows = await sql.query<EvidenceRow & { outcome: StageOutcome; decided_at: Date | null }>(
    `SELECT stage, version, outcome, reason, message, evidence, decided_at FROM stage_status
     WHERE problem_id = $1 ORDER BY stage`,
    [problemId],
  );
  return rows.map(({ outcome, decided_at, ...row }) => ({
    ...row,
    stage: stageName(row.stage),
    outcome: outcomeName(outcome),
    evidence: withoutQuotes(row, sight),
    decided_at: decided_at?.toISOString() ?? null,
  }));
}

async function withdrawalsOf(sql: Sql, problemId: string, sight: Sight): Promise<object[]> {
  const rows = await sql.query<EvidenceRow & { withdrawn_at: Date | null }>(
    `SELECT stage, version, reason, evidence, successor_id, taken_back, withdrawn_at FROM withdrawal
     WHERE problem_id = $1 ORDER BY stage`,
    [problemId],
  );
  return rows.map(({ withdrawn_at, ...row }) => ({
    ...row,
    stage: stageName(row.stage),
    evidence: withoutQuotes(row, sight),
    withdrawn_at: withdrawn_at?.toISOString() ?? null,
  }));
}

async function deadLettersOf(sql: Sql, problemId: string): Promise<object[]> {
  return await sql.query(
    `SELECT topic, service, version, error_code, error_message, attempts, dead_lettered_at, state,
       dlq_topic, dlq_partition, dlq_offset::text AS dlq_offset
     FROM dead_letter WHERE problem_id = $1 ORDER BY dead_lettered_at, dlq_topic, dlq_offset`,
    [problemId],
  );
}

async function clusterOf(sql: Sql, problemId: string): Promise<object | null> {
  const [row] = await sql.query<{ split: Split }>(
    `SELECT version, cluster_id, founder_id, split, cluster_size, equal_statements, checked_benchmarks
     FROM problem_unique WHERE problem_id = $1`,
    [problemId],
  );
  return row === undefined ? null : { ...row, split: splitName(row.split) };
}

async function normalizedOf(sql: Sql, problemId: string, sight: Sight): Promise<object | null> {
  const [row] = await sql.query<NotesRow>(
    `SELECT version, notes, statement_sha256, identity_sha256, content FROM problem_normalized WHERE problem_id = $1`,
    [problemId],
  );
  return row === undefined ? null : { ...row, notes: withoutDetails(row, sight) };
}

async function reviewsOf(sql: Sql, problemId: string, sight: Sight): Promise<object[]> {
  const rows = await sql.query<EvidenceRow & { requested_at: Date | null }>(
    `SELECT review_id, version, stage, reason, evidence, requested_at FROM review WHERE problem_id = $1 ORDER BY requested_at`,
    [problemId],
  );
  return rows.map((row) => ({ ...row, stage: stageName(row.stage), evidence: withoutQuotes(row, sight) }));
}
