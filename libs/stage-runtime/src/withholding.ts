import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type ProblemWithdrawn, Stage } from '@tidemark/proto';
import type { Cause, EventBatch, Sql } from './api.ts';

/** Tables of a stage that passes no withdrawn version on; for its migrations. */
export const withholdingTables = `
  CREATE TABLE withdrawals (
    problem_id text NOT NULL,
    stage integer NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (problem_id, stage)
  );
  COMMENT ON COLUMN withdrawals.version IS 'highest version withdrawn; 0 when taken back';
  CREATE TABLE withheld (
    problem_id text PRIMARY KEY,
    version integer NOT NULL,
    event bytea NOT NULL
  );
  COMMENT ON TABLE withheld IS 'What came of a withdrawn version, newest: handled when the withdrawal is taken back';`;

/** A message with what its events will follow from. */
export interface Caused<T> {
  readonly cause: Cause;
  readonly value: T;
}

/** The events of a batch, each its own cause. */
export const causedBy = <T>(batch: EventBatch<T>): readonly Caused<T>[] =>
  batch.events.map((event) => ({ cause: event, value: event.value }));

interface OfProblem {
  readonly problemId: string;
  readonly version: number;
}

/**
 * Keeps a stage from passing a withdrawn version on: what comes of it is kept, and handed out when the withdrawal is taken
 * back. A stage obeys those before it and the gateway; what a stage behind it withdraws does not hold it up, since that
 * stage could then never see the version that would make it take the withdrawal back.
 *
 * The two handlers of a service that use it meet on the rows of the withdrawals: whichever comes first, no event stays
 * behind. Withdrawals of unknown problems are kept.
 */
export class Withholding<D extends DescMessage> {
  private readonly obeyed: readonly Stage[];

  constructor(
    private readonly schema: D,
    obeyed: Iterable<Stage>,
  ) {
    this.obeyed = [...obeyed];
  }

  /** @returns what may go on; the rest is withheld */
  async pass<T extends MessageShape<D> & OfProblem>(
    sql: Sql,
    events: readonly Caused<T>[],
  ): Promise<readonly Caused<T>[]> {
    if (events.length === 0) return [];
    const withdrawn = await this.withdrawnVersions(
      sql,
      events.map(({ value }) => value.problemId),
    );
    const isFree = ({ value }: Caused<T>) => (withdrawn.get(value.problemId) ?? 0) < value.version;
    const free = events.filter(isFree);
    await sql.query(
      `DELETE FROM withheld w USING unnest($1::text[], $2::int[]) AS f (problem_id, version)
       WHERE w.problem_id = f.problem_id AND w.version <= f.version`,
      [free.map(({ value }) => value.problemId), free.map(({ value }) => value.version)],
    );
    await this.keep(
      sql,
      events.filter((event) => !isFree(event)),
    );
    return free;
  }

  /** What is gone from the stage before waits for nothing. */
  async forget(sql: Sql, problemIds: readonly string[]): Promise<void> {
    await sql.query('DELETE FROM withheld WHERE problem_id = ANY($1::text[])', [problemIds]);
  }

  /** Notes what stages say. @returns what was withheld and may go on now */
  async note(sql: Sql, batch: EventBatch<ProblemWithdrawn>): Promise<readonly Caused<MessageShape<D>>[]> {
    const words: readonly { cause: Cause; problemId: string; stage: Stage; version: number }[] = [
      ...batch.events.map((event) => ({
        cause: event,
        problemId: event.value.problemId,
        stage: event.value.stage,
        version: event.value.takenBack ? 0 : event.value.version,
      })),
      ...batch.removed.map((event) => ({ cause: event, ...problemAndStageOf(event.key), version: 0 })),
    ].filter(({ stage }) => this.obeyed.includes(stage));
    if (words.length === 0) return [];
    await sql.query(
      `INSERT INTO withdrawals (problem_id, stage, version)
       SELECT * FROM unnest($1::text[], $2::int[], $3::int[]) ORDER BY 1, 2
       ON CONFLICT (problem_id, stage) DO UPDATE SET version = excluded.version`,
      [words.map((word) => word.problemId), words.map((word) => word.stage), words.map((word) => word.version)],
    );
    const causes = new Map(words.map(({ problemId, cause }) => [problemId, cause]));
    const released = await sql.query<{ problem_id: string; event: Buffer }>(
      `DELETE FROM withheld w WHERE w.problem_id = ANY($1::text[])
         AND NOT EXISTS (SELECT FROM withdrawals x WHERE x.problem_id = w.problem_id AND x.version >= w.version)
       RETURNING problem_id, event`,
      [[...causes.keys()]],
    );
    return released.flatMap(({ problem_id, event }) => {
      const cause = causes.get(problem_id);
      return cause ? [{ cause, value: fromBinary(this.schema, event) }] : [];
    });
  }

  /** The rows stay locked: a withdrawal that is taken back meanwhile waits, and then sees what was withheld. */
  private async withdrawnVersions(sql: Sql, problemIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await sql.query<{ problem_id: string; version: number }>(
      'SELECT problem_id, version FROM withdrawals WHERE problem_id = ANY($1::text[]) ORDER BY problem_id, stage FOR SHARE',
      [problemIds],
    );
    const highest = new Map<string, number>();
    for (const { problem_id, version } of rows) {
      highest.set(problem_id, Math.max(version, highest.get(problem_id) ?? 0));
    }
    return highest;
  }

  private async keep<T extends MessageShape<D> & OfProblem>(sql: Sql, events: readonly Caused<T>[]): Promise<void> {
    if (events.length === 0) return;
    const newest = new Map<string, Caused<T>>();
    for (const event of events) {
      const { problemId, version } = event.value;
      if ((newest.get(problemId)?.value.version ?? 0) <= version) newest.set(problemId, event);
    }
    const sorted = [...newest.values()].sort((a, b) => (a.value.problemId < b.value.problemId ? -1 : 1));
    await sql.query(
      `INSERT INTO withheld (problem_id, version, event) SELECT * FROM unnest($1::text[], $2::int[], $3::bytea[])
       ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, event = excluded.event
       WHERE withheld.version <= excluded.version`,
      [
        sorted.map(({ value }) => value.problemId),
        sorted.map(({ value }) => value.version),
        sorted.map(({ value }) => Buffer.from(toBinary(this.schema, value))),
      ],
    );
  }
}

/** The topic's key is `<problem id>:<stage>`. */
function problemAndStageOf(key: string): { problemId: string; stage: Stage } {
  const colon = key.lastIndexOf(':');
  const name = key.slice(colon + 1);
  const stage = name in Stage ? Stage[name as keyof typeof Stage] : Number(name);
  return { problemId: key.slice(0, colon), stage };
}
