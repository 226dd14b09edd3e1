import { Backoff, sleep } from '../backoff.ts';
import { Wakeup } from '../wakeup.ts';
import type { Database } from './database.ts';
import type { Tail } from './tail.ts';

/** What a member hears about its group. */
export interface MemberListener {
  /** The partitions held now, and how many are its share; what is over it should be released after the batch in hand. */
  onShare(held: readonly number[], quota: number): void;
  /** The lease ran out or the topic went: nothing is held any more, and a new membership is needed. */
  onLost(): void;
  onFault(fault: unknown): void;
  /** The database answers again. */
  onRecovered(): void;
}

/** One membership of one group. */
export interface Member {
  readonly id: string;
  /** False when the lease ran out by this process's own clock: the partitions may be another's by now. */
  alive(): boolean;
  release(partitions: readonly number[]): Promise<void>;
  leave(): Promise<void>;
}

interface MemberState {
  readonly id: string;
  readonly sessionTimeoutMs: number;
  readonly listener: MemberListener;
  unwatch: () => void;
  aliveUntil: number;
  held: number;
  /** The group may have to be shared anew. */
  unsettled: boolean;
}

/**
 * Group membership by leases on the database's clock: all members of the process are renewed in one statement, three
 * times per session time-out; a group is shared anew when a notice or the renewal says that it changed.
 */
export class Memberships {
  readonly #database: Database;
  readonly #tail: Tail;
  readonly #members = new Map<string, MemberState>();
  readonly #closing = new AbortController();
  readonly #now = new Wakeup();
  #loop: Promise<void> | undefined;

  constructor(database: Database, tail: Tail) {
    this.#database = database;
    this.#tail = tail;
  }

  async join(topicId: number, group: string, sessionTimeoutMs: number, listener: MemberListener): Promise<Member> {
    const asked = performance.now();
    const [row] = await this.#database.query<{ id: bigint }>('SELECT event_log.join_group($1, $2, $3) AS id', [
      topicId,
      group,
      sessionTimeoutMs,
    ]);
    const id = String(row?.id);
    const state: MemberState = {
      id,
      sessionTimeoutMs,
      listener,
      unwatch: () => undefined,
      aliveUntil: asked + sessionTimeoutMs,
      held: -1,
      unsettled: true,
    };
    this.#members.set(id, state);
    state.unwatch = this.#tail.watch(topicId, {
      onAppended: () => undefined,
      onGroupChanged: (changed) => {
        if (changed !== group) return;
        state.unsettled = true;
        this.#now.signal();
      },
    });
    this.#loop ??= this.#run();
    state.unsettled = false;
    await this.#share(state).catch((error: unknown) => {
      state.unsettled = true;
      listener.onFault(error);
    });
    this.#now.signal();
    return {
      id,
      alive: () => this.#members.has(id) && performance.now() < state.aliveUntil,
      release: async (partitions) => {
        await this.#database.query('SELECT event_log.release($1, $2, false)', [id, [...partitions]]);
        state.held -= partitions.length;
      },
      leave: async () => {
        this.#forget(state);
        await this.#database.query("SELECT event_log.release($1, '{}', true)", [id]);
      },
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#now.signal();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const backoff = new Backoff({ longestMs: 2_000 });
    let renewAt = performance.now();
    while (!this.#closing.signal.aborted) {
      try {
        if (performance.now() >= renewAt) {
          await this.#renew();
          const shortest = Math.min(30_000, ...[...this.#members.values()].map((m) => m.sessionTimeoutMs));
          renewAt = performance.now() + shortest / 3;
        }
        for (const member of [...this.#members.values()]) {
          if (!member.unsettled) continue;
          member.unsettled = false;
          try {
            await this.#share(member);
          } catch (error) {
            member.unsettled = true;
            throw error;
          }
        }
        if (backoff.failures > 0) for (const member of this.#members.values()) member.listener.onRecovered();
        backoff.succeeded();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        for (const member of this.#members.values()) member.listener.onFault(error);
        await sleep(backoff.next(), this.#closing.signal);
        continue;
      }
      // A new member may want to be renewed sooner than those before it.
      const soonest = Math.min(30_000, ...[...this.#members.values()].map((m) => m.sessionTimeoutMs)) / 3;
      renewAt = Math.min(renewAt, performance.now() + soonest);
      await this.#now.wait(renewAt - performance.now());
    }
  }

  async #renew(): Promise<void> {
    const ids = [...this.#members.keys()];
    if (ids.length === 0) return;
    const asked = performance.now();
    const rows = await this.#database.query<{ id: bigint; held: number; quota: number; expired: boolean }>(renewSql, [
      ids,
    ]);
    const renewed = new Map(rows.map((row) => [String(row.id), row]));
    for (const id of ids) {
      const state = this.#members.get(id);
      if (!state) continue;
      const row = renewed.get(id);
      if (!row) {
        this.#lose(state);
        continue;
      }
      // A lease that ran out unnoticed was kept; its member waits to be told.
      if (performance.now() >= state.aliveUntil) state.unsettled = true;
      state.aliveUntil = asked + state.sessionTimeoutMs;
      if (row.expired || row.held !== row.quota || row.held !== state.held) state.unsettled = true;
    }
  }

  async #share(state: MemberState): Promise<void> {
    const [row] = await this.#database.query<{ held: number[]; quota: number }>(
      'SELECT held, quota FROM event_log.share($1)',
      [state.id],
    );
    if (!this.#members.has(state.id)) return;
    if (!row) {
      this.#lose(state);
      return;
    }
    state.held = row.held.length;
    state.listener.onShare(row.held, row.quota);
  }

  #lose(state: MemberState): void {
    if (this.#forget(state)) state.listener.onLost();
  }

  #forget(state: MemberState): boolean {
    state.unwatch();
    return this.#members.delete(state.id);
  }
}

/** Renews the leases, and says for each whether its group looks as if it had to be shared anew. */
const renewSql = /* sql */ `
WITH renewed AS (
  UPDATE event_log.members m
  SET expires_at = clock_timestamp() + m.session_timeout_ms * interval '1 millisecond'
  WHERE m.id = ANY($1::bigint[])
  RETURNING m.id, m.topic_id, m.group_name
)
SELECT r.id, c.held, p.partitions / o.members + CASE WHEN o.before < p.partitions % o.members THEN 1 ELSE 0 END AS quota,
  o.expired
FROM renewed r
CROSS JOIN LATERAL (SELECT count(*)::int AS held FROM event_log.claims c WHERE c.member_id = r.id) c
CROSS JOIN LATERAL (SELECT count(*)::int AS partitions FROM event_log.partitions p WHERE p.topic_id = r.topic_id) p
CROSS JOIN LATERAL (
  SELECT count(*)::int AS members, (count(*) FILTER (WHERE m.id < r.id))::int AS before,
    coalesce(bool_or(m.expires_at < clock_timestamp() AND m.id <> ALL($1::bigint[])), false) AS expired
  FROM event_log.members m WHERE m.topic_id = r.topic_id AND m.group_name = r.group_name
) o`;
