import type { StageTransaction } from '@tidemark/stage-runtime';
import { askJobs } from '../ask/ask-jobs.ts';
import { loadProblems } from '../postgres/problems.ts';
import { type KeptRequest, type RequestState, setStates } from '../postgres/requests.ts';
import { loadTargets } from '../postgres/targets.ts';
import { decideRequest } from './decide-request.ts';

/** Decides waiting requests: some become jobs, some are refused, the others go on waiting. */
export async function settleRequests(tx: StageTransaction, waiting: readonly KeptRequest[]): Promise<void> {
  if (waiting.length === 0) return;
  const targets = await loadTargets(tx, [...new Set(waiting.map(({ request }) => request.target))]);
  const problems = new Map(
    (await loadProblems(tx, [...new Set(waiting.map(({ request }) => request.problemId))])).map((problem) => [
      problem.problemId,
      problem,
    ]),
  );
  const states: RequestState[] = [];
  const jobs: KeptRequest[] = [];
  for (const kept of waiting) {
    const { requestId, problemId } = kept.request;
    const decision = decideRequest(kept.request, targets, problems.get(problemId));
    switch (decision.kind) {
      case 'ask':
        jobs.push(kept);
        states.push({ requestId, state: 'asking', reason: '' });
        break;
      case 'refuse':
        states.push({ requestId, state: 'refused', reason: decision.reason });
        break;
      case 'wait':
        break;
    }
  }
  await setStates(tx, states);
  await tx.enqueue(
    askJobs,
    jobs.map(({ request, cause }) => ({ key: request.requestId, payload: request.requestId, cause })),
  );
}
