import { Injectable } from '@nestjs/common';
import { type Bin, Stage } from '@tidemark/proto';
import { StageDatabase } from '@tidemark/stage-runtime';
import type { Purpose } from '@tidemark/proto';
import type { KeptAttempt } from '../kept/keep-attempts.ts';
import { binName, purposeName } from '../../read-model/names.ts';
import type { Caller } from '../../access/caller.ts';
import { WHY_NOT_REVIEWED } from '../../access/reviewing.ts';

/** Most members of a cluster that a page is given. */
const MEMBERS = 100;

interface MemberRow {
  readonly problem_id: string;
  readonly title: string;
  readonly namespace: string;
  readonly record_id: string;
  readonly state: string;
  readonly reason: string;
  readonly value: number | null;
}

/** What stands behind the story of one problem. */
@Injectable()
export class ProblemDetails {
  constructor(private readonly database: StageDatabase) {}

  /** The newest groups with their attempts one by one; what programs printed only for those who may see tests. */
  async attempts({ mayReview }: Caller, problemId: string, target: string): Promise<object> {
    const rows = await this.database.query<{
      purpose: Purpose;
      attempts: readonly KeptAttempt[];
      graded_at: Date | null;
    }>(
      `SELECT group_id, version, suite_hash, checkpoint, purpose, submitter, judge_version, attempts, graded_at
       FROM kept_attempts WHERE target = $1 AND problem_id = $2 ORDER BY graded_at DESC NULLS LAST, group_id`,
      [target, problemId],
    );
    return {
      problem_id: problemId,
      target,
      withheld: mayReview ? null : WHY_NOT_REVIEWED,
      groups: rows.map(({ purpose, graded_at, attempts, ...row }) => ({
        ...row,
        purpose: purposeName(purpose),
        graded_at: graded_at?.toISOString() ?? null,
        attempts: mayReview ? attempts : attempts.map((attempt) => ({ ...attempt, excerpt: '', failing_test: '' })),
      })),
    };
  }

  /** Estimates as they followed each other, oldest first. */
  async posterior(problemId: string, target: string): Promise<object> {
    const rows = await this.database.query<{ bin: Bin; pass_interval: object | null; estimated_at: Date | null }>(
      `SELECT evaluation::float8 AS evaluation, alpha, beta, mean, pass_interval, attempts, passes, bin, reason,
         checkpoint, estimated_at
       FROM difficulty_point WHERE target = $1 AND problem_id = $2 ORDER BY difficulty_point.evaluation`,
      [target, problemId],
    );
    return {
      problem_id: problemId,
      target,
      points: rows.map(({ bin, pass_interval, estimated_at, ...row }) => ({
        ...row,
        bin: binName(bin),
        interval: pass_interval,
        estimated_at: estimated_at?.toISOString() ?? null,
      })),
    };
  }

  /** The cluster's representative, and those that were turned away because they equal or resemble this problem. */
  async cluster(problemId: string): Promise<object> {
    const [cluster] = await this.database.query<{ cluster_id: string; founder_id: string; cluster_size: number }>(
      'SELECT cluster_id, founder_id, cluster_size FROM problem_unique WHERE problem_id = $1',
      [problemId],
    );
    const members = await this.database.query<MemberRow>(
      `SELECT p.problem_id, p.title, p.namespace, p.record_id, p.state, p.reason,
         (SELECT (e ->> 'value')::float8 FROM jsonb_array_elements(s.evidence) AS e
          WHERE e ->> 'subject_id' = $1 LIMIT 1) AS value
       FROM stage_status AS s JOIN problem AS p USING (problem_id)
       WHERE s.evidence @> jsonb_build_array(jsonb_build_object('subject_id', $1::text)) AND s.reason <> ''
         AND s.stage = ${Stage.DEDUP} AND p.problem_id <> $1
       UNION
       SELECT p.problem_id, p.title, p.namespace, p.record_id, p.state, p.reason, NULL
       FROM problem_unique AS u JOIN problem AS p USING (problem_id)
       WHERE u.cluster_id = $2 AND p.problem_id <> $1
       ORDER BY problem_id LIMIT ${MEMBERS}`,
      [problemId, cluster?.cluster_id ?? ''],
    );
    return { problem_id: problemId, ...(cluster ?? { cluster_id: '', founder_id: '', cluster_size: 0 }), members };
  }
}
