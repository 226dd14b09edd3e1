import { BlobStore, type StoredBlob } from '@tidemark/blob-store';
import type { EventLog } from '@tidemark/event-log';
import { CommandOutcome } from '@tidemark/proto';
import {
  InjectConfig,
  InjectEventLog,
  InjectLogger,
  type JobKind,
  type JobWorker,
  type LeasedJob,
  readHashes,
  StageDatabase,
  type StageTransaction,
  Worker,
} from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import { endCommand } from '../commands/end-command.ts';
import { OrderAll } from '../commands/order-all.ts';
import type { GatewayConfig } from '../gateway.config.ts';
import { decideRemoval, type Removal } from './decide-removal.ts';
import { addNamedByTopics } from './named-by-topics.ts';

/** How long services may take to say what they name: what they said must not be old when blobs are removed. */
const MARKS_WITHIN_MS = 3_600_000;
const NOTES_A_STATEMENT = 5_000;
/** The clock of the store's host may be ahead of ours. */
const A_WHILE_MS = 60_000;

export interface Sweep {
  /** Nothing is removed or noted. */
  readonly dryRun: boolean;
}

export const sweepJobs: JobKind<Sweep> = {
  name: 'sweep-blobs',
  encode: (sweep) => Buffer.from(JSON.stringify(sweep)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as Sweep,
  leaseMs: 15_000,
};

/** How many blobs, and bytes as they lie in the store. */
interface Count {
  blobs: number;
  bytes: number;
}

/**
 * Removes blobs that no table of any service and no topic names. Every service must have answered since the sweep began:
 * without one of them nothing is removed.
 */
@Worker()
export class SweepBlobs implements JobWorker<Sweep, Readonly<Record<Removal, Count>>> {
  readonly kind = sweepJobs;
  readonly concurrency = 1;
  readonly maxAttempts = 1;

  constructor(
    private readonly orders: OrderAll,
    private readonly blobs: BlobStore,
    private readonly database: StageDatabase,
    @InjectEventLog() private readonly log: EventLog,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  async run(
    { key, payload, attempt }: LeasedJob<Sweep>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<Removal, Count>>> {
    const beganAtMs = Date.now();
    const named = await this.named(`${key}/${attempt}`, signal);
    const found: Record<Removal, Count> = { named: none(), young: none(), noted: none(), removed: none() };
    const noted: string[] = [];
    const again: string[] = [];
    for await (const some of inChunks(this.blobs.list())) {
      const since = await this.unnamedSince(some);
      for (const blob of some) {
        const about = { named: named.has(blob.sha256), putAtMs: blob.putAtMs, unnamedSinceMs: since.get(blob.sha256) };
        let decision = decideRemoval(about, beganAtMs, this.graceMs);
        if (decision === 'removed' && !payload.dryRun) {
          const gone = await this.blobs.remove(blob.sha256, beganAtMs - this.graceMs);
          if (gone) this.logger.info({ blob: blob.sha256 }, 'blob removed');
          else decision = 'young';
        }
        if (decision === 'noted') noted.push(blob.sha256);
        if (blob.putAtMs > (about.unnamedSinceMs ?? Infinity)) again.push(blob.sha256);
        found[decision].blobs += 1;
        found[decision].bytes += blob.storedBytes;
      }
    }
    if (!payload.dryRun) await this.note(noted, again, beganAtMs);
    return found;
  }

  async complete(tx: StageTransaction, { key, payload }: LeasedJob<Sweep>, found: Readonly<Record<Removal, Count>>) {
    const { removed, noted, named, young } = found;
    const hours = this.config.blobGraceHours;
    const message =
      `${payload.dryRun ? 'Would remove' : 'Removed'} ${removed.blobs} blobs (${removed.bytes} bytes) that nothing names; ` +
      `${noted.blobs} more are named by nothing since less than ${hours} h, ${young.blobs} are younger, ${named.blobs} are named.`;
    const results = Object.fromEntries(
      Object.entries(found).flatMap(([what, { blobs, bytes }]) => [
        [`${what}_blobs`, String(blobs)],
        [`${what}_bytes`, String(bytes)],
      ]),
    );
    await endCommand(tx, key, CommandOutcome.DONE, message, results);
  }

  async fail(tx: StageTransaction, { key }: LeasedJob<Sweep>, error: Error): Promise<void> {
    await endCommand(tx, key, CommandOutcome.FAILED, `Nothing was removed: ${error.message}.`, {});
  }

  /**
   * Tables first, then topics: what leaves a table for a topic meanwhile is found there, and what leaves a topic for a
   * table was found in the topic or is noted only.
   */
  private async named(commandId: string, signal: AbortSignal): Promise<Set<string>> {
    const answers = await this.orders.order(
      {
        commandId,
        step: 'mark',
        kind: 'mark_blobs',
        subject: '',
        order: { case: 'markBlobs', value: {} },
        patienceMs: MARKS_WITHIN_MS,
      },
      signal,
    );
    const named = new Set<string>();
    const lists = [...answers.values()].map(({ marks = '' }) => marks);
    for (const list of lists) for (const hash of await readHashes(this.blobs, list)) named.add(hash);
    // They are read, and of no more use.
    for (const list of new Set(lists)) await this.blobs.remove(list, Date.now() + A_WHILE_MS);
    await addNamedByTopics(this.log, this.blobs, named, signal);
    return named;
  }

  private async unnamedSince(blobs: readonly StoredBlob[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ sha256: string; since: Date }>(
      `SELECT encode(sha256, 'hex') AS sha256, since FROM unnamed_blob
       WHERE sha256 IN (SELECT decode(hash, 'hex') FROM unnest($1::text[]) AS hash)`,
      [blobs.map(({ sha256 }) => sha256)],
    );
    return new Map(rows.map(({ sha256, since }) => [sha256, since.getTime()]));
  }

  /**
   * Those alone that nothing names now: of what is named or gone nothing stays noted.
   *
   * @param again were put since they were noted: their time begins anew
   */
  private async note(noted: readonly string[], again: readonly string[], beganAtMs: number): Promise<void> {
    await this.database.transaction('note-unnamed-blobs', async (tx) => {
      await tx.query('CREATE TEMPORARY TABLE noted (sha256 bytea) ON COMMIT DROP');
      for (let at = 0; at < noted.length; at += NOTES_A_STATEMENT) {
        const some = noted.slice(at, at + NOTES_A_STATEMENT);
        await tx.query(`INSERT INTO noted SELECT decode(hash, 'hex') FROM unnest($1::text[]) AS hash`, [some]);
      }
      await tx.query('DELETE FROM unnamed_blob WHERE sha256 NOT IN (SELECT sha256 FROM noted)');
      await tx.query(
        `DELETE FROM unnamed_blob WHERE sha256 IN (SELECT decode(hash, 'hex') FROM unnest($1::text[]) AS hash)`,
        [again],
      );
      await tx.query(
        `INSERT INTO unnamed_blob (sha256, since) SELECT sha256, $1 FROM noted ON CONFLICT (sha256) DO NOTHING`,
        [new Date(beganAtMs)],
      );
    });
  }

  private get graceMs(): number {
    return this.config.blobGraceHours * 3_600_000;
  }
}

const none = (): Count => ({ blobs: 0, bytes: 0 });

async function* inChunks(blobs: AsyncIterable<StoredBlob>): AsyncIterable<StoredBlob[]> {
  let some: StoredBlob[] = [];
  for await (const blob of blobs) {
    some.push(blob);
    if (some.length < 1_000) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
