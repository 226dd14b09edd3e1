import { Injectable } from '@nestjs/common';
import type { Sql } from '@tidemark/stage-runtime';
import { problems } from '../postgres/tables.ts';
import { type RowOf, upsertRows } from '../postgres/table.ts';
import { decideVisibleState, type VisibleState } from './decide-visible-state.ts';
import { loadFacts } from './load-facts.ts';
import { stageName } from './names.ts';

/** Keeps the one visible state of each problem up to date, in the transaction that brings a new fact. */
@Injectable()
export class VisibleStates {
  /**
   * Locks the problems' rows, makes missing ones, lets `write` store new facts, and decides again. The lock comes first:
   * of two handlers with facts about one problem, the second decides with what the first has committed.
   */
  async refresh(sql: Sql, problemIds: Iterable<string>, write: () => Promise<void>): Promise<void> {
    const ids = [...new Set(problemIds)].filter((id) => id !== '').sort();
    if (ids.length > 0) await lock(sql, ids);
    await write();
    if (ids.length === 0) return;
    const facts = await loadFacts(sql, ids);
    const rows = ids.map((id) => rowOf(id, decideVisibleState(facts.get(id) ?? { statuses: [], withdrawals: [] })));
    await upsertRows(sql, problems, rows);
  }
}

async function lock(sql: Sql, sortedIds: readonly string[]): Promise<void> {
  await sql.query('INSERT INTO problem (problem_id) SELECT unnest($1::text[]) ON CONFLICT (problem_id) DO NOTHING', [
    sortedIds,
  ]);
  await sql.query('SELECT 1 FROM problem WHERE problem_id = ANY ($1::text[]) ORDER BY problem_id FOR UPDATE', [
    sortedIds,
  ]);
}

function rowOf(problemId: string, state: VisibleState): RowOf<typeof problems> {
  const common = { problem_id: problemId, state: state.kind, version: state.version, changed_at: new Date() };
  if (state.kind === 'ready') {
    return { ...common, stage: '', reason: '', held_out: state.heldOut, incoming: state.incoming ?? null };
  }
  return { ...common, stage: stageName(state.stage), reason: state.reason, held_out: false, incoming: null };
}
