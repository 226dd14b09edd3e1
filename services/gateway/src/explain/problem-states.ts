import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { problemIdOf } from '@tidemark/identity';
import { StageDatabase } from '@tidemark/stage-runtime';
import { z } from 'zod';
import { type Caller, submitterSeenBy } from '../access/caller.ts';

/** How often records that are watched are looked at, in ms. */
const LOOK_MS = 1_000;

/** Records by the source's own names. */
export const recordNamesSchema = z.strictObject({
  records: z
    .array(z.strictObject({ namespace: z.string().min(1).max(200), record_id: z.string().min(1).max(500) }))
    .min(1)
    .max(1_000),
});
export type RecordName = z.output<typeof recordNamesSchema>['records'][number];

/** Where one record stands. */
export interface ProblemState extends RecordName {
  readonly problem_id: string;
  /** `unknown` for what was not offered under these names, was offered by another, or was not come to yet. */
  readonly state: string;
  readonly version: number;
  /** Empty when ready. */
  readonly stage: string;
  readonly reason: string;
  readonly held_out: boolean;
  readonly changed_at: string | null;
}

interface StateRow {
  readonly problem_id: string;
  readonly state: string;
  readonly version: number;
  readonly stage: string;
  readonly reason: string;
  readonly held_out: boolean;
  readonly changed_at: Date;
}

/** What became of records, for who offered them. */
@Injectable()
export class ProblemStates {
  constructor(private readonly database: StageDatabase) {}

  /** One state for each name, in their order. */
  async find(caller: Caller, names: readonly RecordName[]): Promise<ProblemState[]> {
    const ids = names.map(({ namespace, record_id }) => problemIdOf(namespace, record_id));
    const rows = await this.database.query<StateRow>(
      `SELECT problem_id, state, version, stage, reason, held_out, changed_at FROM problem
       WHERE problem_id = ANY ($1::text[]) AND ($2::text IS NULL OR submitter = $2)`,
      [ids, submitterSeenBy(caller) ?? null],
    );
    const known = new Map<string, StateRow>(rows.map((row) => [row.problem_id, row]));
    return names.map((name, index) => stateOf(name, ids[index] ?? '', known.get(ids[index] ?? '')));
  }

  /** Where each stands now, and each change from then on. What lay between two looks is not told. */
  async *watch(caller: Caller, names: readonly RecordName[], signal: AbortSignal): AsyncGenerator<ProblemState> {
    const told = new Map<number, string>();
    while (!signal.aborted) {
      for (const [index, state] of (await this.find(caller, names)).entries()) {
        const text = JSON.stringify(state);
        if (told.get(index) === text) continue;
        told.set(index, text);
        yield state;
      }
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

function stateOf(name: RecordName, problem_id: string, row: StateRow | undefined): ProblemState {
  if (row === undefined) {
    const unknown = { state: 'unknown', version: 0, stage: '', reason: '', held_out: false, changed_at: null };
    return { ...name, problem_id, ...unknown };
  }
  const ready = row.state === 'ready';
  return {
    ...name,
    ...row,
    stage: ready ? '' : row.stage,
    reason: ready ? '' : row.reason,
    held_out: ready && row.held_out,
    changed_at: row.changed_at.toISOString(),
  };
}
