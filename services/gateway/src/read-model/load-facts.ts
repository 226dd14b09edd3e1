import type { Split, Stage, StageOutcome } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { ProblemFacts, StageStatus, Withdrawal } from './decide-visible-state.ts';
import { type DeadLetterFact, mergeDeadLetters } from './merge-dead-letters.ts';
import { stageOfService } from './names.ts';

/** Reads what is known of problems, one statement a kind of fact. Problems without any fact are not in the map. */
export async function loadFacts(sql: Sql, problemIds: readonly string[]): Promise<ReadonlyMap<string, ProblemFacts>> {
  const read = <Row>(columns: string, table: string) =>
    sql.query<Row & { problem_id: string }>(
      `SELECT problem_id, ${columns} FROM ${table} WHERE problem_id = ANY ($1::text[])`,
      [problemIds],
    );
  const statuses = await read<StatusRow>('stage, version, outcome, reason', 'stage_status');
  const withdrawals = await read<WithdrawalRow>('stage, version, reason, taken_back', 'withdrawal');
  const unique = await read<OutputRow>('version, split', 'problem_unique');
  const verified = await read<OutputRow>('version, split', 'problem_verified');
  const scored = await read<{ version: number }>('version', 'problem_scored');
  const letters = await read<DeadLetterRow>('service, topic, version, error_code, state', 'dead_letter');

  const facts = new Map<string, ProblemFacts>();
  const add = (id: string, change: (known: ProblemFacts) => ProblemFacts) =>
    facts.set(id, change(facts.get(id) ?? { statuses: [], withdrawals: [] }));
  for (const [id, rows] of groupById(statuses)) add(id, (known) => ({ ...known, statuses: rows.map(statusOf) }));
  for (const [id, rows] of groupById(withdrawals)) {
    add(id, (known) => ({ ...known, withdrawals: rows.map(withdrawalOf) }));
  }
  for (const row of unique) add(row.problem_id, (known) => ({ ...known, unique: row }));
  for (const row of verified) add(row.problem_id, (known) => ({ ...known, verified: row }));
  for (const row of scored) add(row.problem_id, (known) => ({ ...known, scored: row }));
  for (const [id, rows] of groupById(letters)) {
    add(id, (known) => ({ ...known, statuses: mergeDeadLetters(known.statuses, rows.flatMap(deadLetterOf)) }));
  }
  return facts;
}

interface StatusRow {
  readonly stage: Stage;
  readonly version: number;
  readonly outcome: StageOutcome;
  readonly reason: string;
}
interface WithdrawalRow {
  readonly stage: Stage;
  readonly version: number;
  readonly reason: string;
  readonly taken_back: boolean;
}
interface OutputRow {
  readonly version: number;
  readonly split: Split;
}
interface DeadLetterRow {
  readonly service: string;
  readonly topic: string;
  readonly version: number | null;
  readonly error_code: string;
  readonly state: string;
}

const statusOf = ({ stage, version, outcome, reason }: StatusRow): StageStatus => ({ stage, version, outcome, reason });

const withdrawalOf = ({ stage, version, reason, taken_back }: WithdrawalRow): Withdrawal => ({
  stage,
  version,
  reason,
  takenBack: taken_back,
});

/** A letter that was taken up again says no more: the stage will, or another letter. */
function deadLetterOf({ service, topic, version, error_code, state }: DeadLetterRow): DeadLetterFact[] {
  const stage = stageOfService(service);
  return stage === undefined || state === 'replayed'
    ? []
    : [{ stage, topic, version: version ?? 0, reason: error_code }];
}

function groupById<Row extends { problem_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, (row) => row.problem_id);
}
