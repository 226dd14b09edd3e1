import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { StageDatabase } from '@tidemark/stage-runtime';
import { Verdict } from '@tidemark/proto';
import type { Caller } from '../access/caller.ts';
import type { FaultJson } from '../intake/check-record.ts';
import type { Missing } from '../intake/missing-subjects.ts';
import { RecordLists } from '../intake/record-lists.ts';
import { rolloutUploads } from '../intake/rollout-uploads.ts';
import type { NamedSettings } from '../intake/upload-settings.ts';
import { verdictName } from '../read-model/names.ts';

/** Groups of one request at most. */
export const MAX_GRADED_GROUPS = 256;
/** How often verdicts that are waited for are looked for, in ms. */
const LOOK_MS = 150;
/** Verdicts from here on say nothing about the model (`Verdict` of the contracts). */
const ENVIRONMENT: number = Verdict.SANDBOX_FAILURE;
const isAboutModel = (verdict: number): boolean => verdict > 0 && verdict < ENVIRONMENT;

/** What becomes of one group. */
export type GradeAnswer = { readonly line: number; readonly group?: string } & (
  | { readonly outcome: 'refused'; readonly faults: readonly FaultJson[] }
  | {
      readonly outcome: 'graded';
      readonly suite_hash: string;
      readonly judge_version: string;
      /** One for each attempt, in their order. */
      readonly verdicts: readonly string[];
      readonly passed: number;
      /** Attempts that say something about the model. */
      readonly counted: number;
    }
  | { readonly outcome: 'pending'; readonly waits_for?: Missing }
);

interface Awaited {
  readonly line: number;
  readonly group: string;
  readonly target: string;
  readonly problemId: string;
  readonly waitsFor: Missing | undefined;
}

interface GradedRow {
  readonly target: string;
  readonly problem_id: string;
  readonly group_id: string;
  readonly suite_hash: string;
  readonly judge_version: string;
  readonly held_out: boolean;
  readonly verdicts: readonly Verdict[];
}

/** Takes groups in as {@link RecordLists} does, and tells their verdicts as they are given. */
@Injectable()
export class Grading {
  constructor(
    private readonly lists: RecordLists,
    private readonly database: StageDatabase,
  ) {}

  /** Refused groups come first, then verdicts as they are given; last what was not graded in the time. */
  async *grade(
    caller: Caller,
    groups: readonly Uint8Array[],
    settings: NamedSettings,
    waitMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<GradeAnswer> {
    const untilMs = performance.now() + waitMs;
    const offered = await this.lists.take(caller, rolloutUploads, groups, settings, MAX_GRADED_GROUPS);
    let awaited: Awaited[] = [];
    for (const answer of offered.answers) {
      if (answer.outcome === 'refused') {
        const { field, code, reason, do: todo, more = [] } = answer;
        yield { outcome: 'refused', line: answer.line, faults: [{ field, code, reason, do: todo }, ...more] };
        continue;
      }
      const subject = offered.subjects.get(answer.line)?.group;
      if (subject === undefined) continue;
      const { id: group, target } = subject;
      awaited.push({ line: answer.line, group, target, problemId: answer.problem_id, waitsFor: answer.waits_for });
    }
    while (awaited.length > 0 && !signal.aborted) {
      const found = await this.find(caller, awaited);
      for (const one of awaited) {
        const row = found.get(keyOf(one.target, one.problemId, one.group));
        if (row !== undefined) yield answerOf(one, row, caller);
      }
      awaited = awaited.filter((one) => !found.has(keyOf(one.target, one.problemId, one.group)));
      if (performance.now() >= untilMs) break;
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    for (const { line, group, waitsFor } of awaited) {
      yield { outcome: 'pending', line, group, ...(waitsFor !== undefined && { waits_for: waitsFor }) };
    }
  }

  private async find(caller: Caller, awaited: readonly Awaited[]): Promise<ReadonlyMap<string, GradedRow>> {
    const rows = await this.database.query<GradedRow>(
      `SELECT DISTINCT ON (target, problem_id, group_id)
         target, problem_id, group_id, suite_hash, judge_version, held_out, verdicts
       FROM graded_group
       WHERE (target, problem_id, group_id) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))
         AND submitter = $4
       ORDER BY target, problem_id, group_id, graded_at DESC NULLS LAST`,
      [
        awaited.map(({ target }) => target),
        awaited.map(({ problemId }) => problemId),
        awaited.map(({ group }) => group),
        caller.name,
      ],
    );
    return new Map(rows.map((row) => [keyOf(row.target, row.problem_id, row.group_id), row]));
  }
}

const keyOf = (target: string, problemId: string, group: string): string => JSON.stringify([target, problemId, group]);

function answerOf({ line, group }: Awaited, row: GradedRow, caller: Caller): GradeAnswer {
  // An exam is no exam where its verdicts can be asked for.
  if (row.held_out && !caller.mayReview) {
    const reason = 'the problem is kept for evaluation, and its verdicts are not told';
    return {
      outcome: 'refused',
      line,
      group,
      faults: [{ field: 'problem', code: 'held_out', reason, do: 'Take problems from batches.' }],
    };
  }
  const { suite_hash, judge_version, verdicts } = row;
  return {
    outcome: 'graded',
    line,
    group,
    suite_hash,
    judge_version,
    verdicts: verdicts.map(verdictName),
    passed: verdicts.filter((verdict) => verdict === Verdict.ACCEPTED).length,
    counted: verdicts.filter((verdict) => isAboutModel(verdict)).length,
  };
}
