import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemVerified } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { dropTexts, keepSuites } from '../console/kept/keep-texts.ts';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { verifiedProblems } from '../postgres/tables.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.verified` → the suite that judges, and how the references fared. */
@Controller()
export class OnProblemVerified {
  constructor(private readonly states: VisibleStates) {}

  @OnEvent(topics.problemsVerified)
  async handle(batch: EventBatch<ProblemVerified>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    const removed = batch.removed.map(({ key }) => key);
    await this.states.refresh(tx, [...events.map(({ problemId }) => problemId), ...removed], async () => {
      await upsertRows(tx, verifiedProblems, events.map(rowOf));
      await keepSuites(tx, events);
      await dropTexts(tx, 'suite', removed);
      await deleteRows(
        tx,
        verifiedProblems,
        removed.map((id) => [id]),
      );
    });
  }
}

const rowOf = (event: ProblemVerified): RowOf<typeof verifiedProblems> => ({
  problem_id: event.problemId,
  version: event.version,
  split: event.split,
  suite_hash: event.suiteHash,
  test_count: event.testCount,
  shares_process: event.sharesProcess,
  judge_version: event.judgeVersion,
  reference_runs: event.references.map((run) => ({
    solution_sha256: run.solutionSha256,
    language: run.language,
    tests_run: run.testsRun,
    max_cpu_time_ms: run.maxCpuTimeMs,
    max_memory_bytes: Number(run.maxMemoryBytes),
  })),
});
