import { create } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { type EventLog, ordersTopic, type ServiceName, serviceNames } from '@tidemark/event-log';
import { type DeadLetter, ServiceOrderSchema } from '@tidemark/proto';
import { causeOf, InjectEventLog, StageDatabase, type StageTransaction } from '@tidemark/stage-runtime';
import type { Caller } from '../access/caller.ts';
import { VisibleStates } from '../read-model/visible-states.ts';
import { decideReplay } from './decide-replay.ts';
import { type LetterPlace, letterId } from './letter-id.ts';
import { LetterReader } from './letter-reader.ts';
import { decideLetters, findLetters, type LetterFilter, type LetterRow, lockLetters, placeOf } from './letter-rows.ts';

/** Letters of one transaction: a few dozen megabytes at the very most. */
const PAGE = 50;
/** Letters of one request; the answer says how many are left. */
const MOST = 5_000;

/** Which letters a request means: by id, or all open ones that a filter lets through. */
export type Chosen = { readonly ids: readonly LetterPlace[] } | { readonly filter: LetterFilter };

export interface Refusal {
  readonly id: string;
  readonly code: string;
  readonly reason: string;
}

export interface Decided {
  readonly decided: number;
  readonly refused: readonly Refusal[];
  /** Open letters that the filter also means and this request did not come to. */
  readonly more: boolean;
}

/** Takes letters up again, or puts them away. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly database: StageDatabase,
    private readonly letters: LetterReader,
    private readonly states: VisibleStates,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  /** Orders the services that failed to handle the records again. */
  replay(caller: Caller, chosen: Chosen): Promise<Decided> {
    return this.inPages(chosen, async (tx, rows) => {
      const letters = await this.letters.read(rows.map(placeOf));
      const ready = await this.readyServices(rows);
      const refused: Refusal[] = [];
      const good: LetterRow[] = [];
      for (const row of rows) {
        const id = letterId(placeOf(row));
        const decision = decideReplay(row.state, letters.get(id), ready.has(row.service));
        if (decision.kind === 'refused') refused.push({ id, code: decision.code, reason: decision.reason });
        else {
          good.push(row);
          this.order(tx, caller, row, decision.letter);
        }
      }
      const problems = good.flatMap(({ problem_id }) => problem_id ?? []);
      await this.states.refresh(tx, problems, () => decideLetters(tx, good, 'replayed', caller.name));
      return { decided: good.length, refused };
    });
  }

  /** They stay where they are until retention takes them, and are neither listed nor replayed by filters any more. */
  drop(caller: Caller, chosen: Chosen): Promise<Decided> {
    return this.inPages(chosen, async (tx, rows) => {
      const good = rows.filter(({ state }) => state === 'open');
      await decideLetters(tx, good, 'dropped', caller.name);
      const refused = rows
        .filter(({ state }) => state !== 'open')
        .map((row) => ({ id: letterId(placeOf(row)), code: 'not_open', reason: `It is ${row.state}.` }));
      return { decided: good.length, refused };
    });
  }

  private order(tx: StageTransaction, caller: Caller, row: LetterRow, letter: DeadLetter): void {
    const requestedBy = caller.name;
    const order = create(ServiceOrderSchema, { requestedBy, order: { case: 'replay', value: letter } });
    // By its place: an order that the relay repeats is recognised as the one that it was.
    const cause = causeOf(`replay/${letterId(placeOf(row))}`);
    tx.publish(cause, ordersTopic(row.service as ServiceName), order);
  }

  /** An order to a service that has no topic for it yet would hold up all that the gateway publishes. */
  private async readyServices(rows: readonly LetterRow[]): Promise<ReadonlySet<string>> {
    const ready = new Set<string>();
    for (const service of new Set(rows.map((row) => row.service))) {
      if (!serviceNames.some((name) => name === service)) continue;
      const topic = ordersTopic(service as ServiceName).name;
      if ((await this.log.admin.describe(topic)) !== undefined) ready.add(service);
    }
    return ready;
  }

  private async inPages(
    chosen: Chosen,
    work: (tx: StageTransaction, rows: readonly LetterRow[]) => Promise<Omit<Decided, 'more'>>,
  ): Promise<Decided> {
    let decided = 0;
    const refused: Refusal[] = [];
    let after: LetterPlace | undefined;
    for (let from = 0; from < MOST; from += PAGE) {
      const places =
        'ids' in chosen
          ? chosen.ids.slice(from, from + PAGE)
          : (await findLetters(this.database, chosen.filter, 'open', after, PAGE)).map(placeOf);
      if (places.length === 0) return { decided, refused, more: false };
      after = places.at(-1);
      const page = await this.database.transaction('decide-dead-letters', async (tx) => {
        const rows = await lockLetters(tx, places);
        const done = await work(tx, rows);
        const known = new Set(rows.map((row) => letterId(placeOf(row))));
        const unknown = places.map(letterId).filter((id) => !known.has(id));
        const reason = 'There is no such letter, or it is not read yet.';
        return { ...done, refused: [...done.refused, ...unknown.map((id) => ({ id, code: 'unknown', reason }))] };
      });
      decided += page.decided;
      refused.push(...page.refused);
    }
    return { decided, refused, more: true };
  }
}
