import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemVerified } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { askJobs } from '../ask/ask-jobs.ts';
import { type AskableProblem, forgetProblems, saveProblems } from '../postgres/problems.ts';
import { lockRequests, waitingRequests } from '../postgres/requests.ts';
import { settleRequests } from '../requests/settle-requests.ts';

/** `problems.verified` → what a prompt is made of, and the requests that waited for it. Tests are not kept. */
@Controller()
export class OnProblemVerified {
  @OnEvent(topics.problemsVerified, { feeds: [askJobs] })
  async handle(batch: EventBatch<ProblemVerified>, tx: StageTransaction): Promise<void> {
    const problems = batch.events.flatMap(({ value }) => askable(value));
    await lockRequests(tx, 'arrivals');
    await saveProblems(tx, problems);
    await forgetProblems(
      tx,
      batch.removed.map(({ key }) => key),
    );
    await settleRequests(tx, await waitingRequests(tx, { problemIds: problems.map(({ problemId }) => problemId) }));
  }
}

function askable({ problemId, version, content }: ProblemVerified): AskableProblem[] {
  if (content?.statement === undefined) return [];
  const { statement, starterCode, entryPoint, languages } = content;
  return [{ problemId, version, statement, starterCode, entryPoint, language: languages[0] ?? '' }];
}
