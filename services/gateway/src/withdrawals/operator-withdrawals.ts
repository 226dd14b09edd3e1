import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemWithdrawn, ProblemWithdrawnSchema, Stage } from '@tidemark/proto';
import { causeOf, StageDatabase, type StageTransaction } from '@tidemark/stage-runtime';
import { conflict, notFound } from '../http/http-problem.ts';
import { withdrawalRow } from '../on-problem-withdrawn/on-problem-withdrawn.ts';
import { upsertRows } from '../postgres/table.ts';
import { withdrawals } from '../postgres/tables.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** Higher than any version: nothing that comes of the record passes either. */
const EVERY_VERSION = 2 ** 31 - 1;

export interface WithdrawalJson {
  readonly problem_id: string;
  /** Versions up to this one are out; null where all are, also those to come. */
  readonly version: number | null;
  readonly withdrawn: boolean;
}

/** What operators take out of the stream, and let in again. */
@Injectable()
export class OperatorWithdrawals {
  constructor(
    private readonly database: StageDatabase,
    private readonly states: VisibleStates,
  ) {}

  /**
   * @param allVersions also those to come; else the newest that is known, and those before it
   * @throws HttpProblem 404 for a problem that is not known
   */
  async withdraw(problemId: string, reason: string, allVersions: boolean): Promise<WithdrawalJson> {
    return await this.database.transaction('operator-withdraws', async (tx) => {
      const version = allVersions ? EVERY_VERSION : await newestVersion(tx, problemId);
      await this.say(
        tx,
        create(ProblemWithdrawnSchema, {
          problemId,
          version,
          stage: Stage.GATEWAY,
          reason: 'withdrawn_by_operator',
          evidence: reason === '' ? [] : [{ kind: 'operators_words', text: reason }],
          withdrawnAt: timestampNow(),
        }),
      );
      return { problem_id: problemId, version: allVersions ? null : version, withdrawn: true };
    });
  }

  /** @throws HttpProblem 404 for a problem that is not known, 409 when no operator withdraws it */
  async restore(problemId: string): Promise<WithdrawalJson> {
    return await this.database.transaction('operator-restores', async (tx) => {
      await newestVersion(tx, problemId);
      const [row] = await tx.query<{ version: number }>(
        'SELECT version FROM withdrawal WHERE problem_id = $1 AND stage = $2 AND NOT taken_back',
        [problemId, Stage.GATEWAY],
      );
      if (row === undefined)
        throw conflict(
          'not_withdrawn',
          'No operator withdraws this problem.',
          'Its story says which stage does, and why: GET /v1/problems/:id.',
        );
      await this.say(
        tx,
        create(ProblemWithdrawnSchema, {
          problemId,
          version: row.version,
          stage: Stage.GATEWAY,
          reason: 'let_in_again',
          withdrawnAt: timestampNow(),
          takenBack: true,
        }),
      );
      const version = row.version === EVERY_VERSION ? null : row.version;
      return { problem_id: problemId, version, withdrawn: false };
    });
  }

  /** Kept here at once, beside the event, so that who asks next sees it. */
  private async say(tx: StageTransaction, word: ProblemWithdrawn): Promise<void> {
    await this.states.refresh(tx, [word.problemId], () => upsertRows(tx, withdrawals, [withdrawalRow(word)]));
    tx.publish(causeOf(randomUUID()), topics.problemsWithdrawn, word);
  }
}

/** The newest version that any stage speaks of; the problem's row stays locked. */
async function newestVersion(tx: StageTransaction, problemId: string): Promise<number> {
  const [row] = await tx.query<{ version: number; incoming: { version: number } | null }>(
    'SELECT version, incoming FROM problem WHERE problem_id = $1 FOR UPDATE',
    [problemId],
  );
  if (row === undefined) throw notFound('problem', problemId, 'List problems: GET /v1/problems.');
  return Math.max(row.version, row.incoming?.version ?? 0);
}
