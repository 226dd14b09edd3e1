import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { BlobStore } from '@tidemark/blob-store';
import { type EventLog, ordersTopic, type ServiceName, serviceNames, topics } from '@tidemark/event-log';
import { CommandOutcome, ForgetStep, ProblemWithdrawnSchema, Stage } from '@tidemark/proto';
import {
  causeOf,
  DependencyFault,
  InjectEventLog,
  type JobKind,
  type JobWorker,
  type LeasedJob,
  placeholderOf,
  problemHash,
  readHashes,
  StageDatabase,
  type StageTransaction,
  UPKEEP_JOBS,
  Worker,
} from '@tidemark/stage-runtime';
import { endCommand } from '../commands/end-command.ts';
import { type Answers, OrderAll } from '../commands/order-all.ts';
import { isLettersOrOrders, lookInTopics, type TopicFindings } from './topics-of-problem.ts';

interface Forgetting {
  readonly problemId: string;
  /** Pieces of its texts. */
  readonly words: readonly string[];
  readonly beganAtMs: number;
}

export const forgetJobs: JobKind<Forgetting> = {
  name: `${UPKEEP_JOBS}forget`,
  encode: (forgetting) => Buffer.from(JSON.stringify(forgetting)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as Forgetting,
  leaseMs: 15_000,
};

/** How long all services may take for one step. */
const PATIENCE_MS = 600_000;
/** What was on its way when all had erased comes to light within this time. */
const SETTLE_MS = 10_000;
const ROUNDS = 6;
/** Every version there can be. */
const ALL_VERSIONS = 2_147_483_647;
const OTHERS = serviceNames.filter((name) => name !== 'gateway');

interface Outcome {
  readonly gone: boolean;
  readonly message: string;
  readonly results: Readonly<Record<string, string>>;
}

/**
 * Withdraws a problem, has every service erase it, erases it from the topics, removes the blobs that nobody else names, and
 * looks in every table, topic and blob whether it is gone; what has come to light meanwhile goes in another round.
 */
@Worker()
export class ForgetProblem implements JobWorker<Forgetting, Outcome> {
  readonly kind = forgetJobs;
  readonly concurrency = 1;

  constructor(
    private readonly orders: OrderAll,
    private readonly blobs: BlobStore,
    private readonly database: StageDatabase,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  async run(job: LeasedJob<Forgetting>, signal: AbortSignal): Promise<Outcome> {
    const { problemId, words } = job.payload;
    await this.withdraw(job.key, problemId, signal);
    const counts = new Counts();
    const candidates = new Set<string>();
    const first = await lookInTopics(this.log, this.blobs, problemId, [], signal);
    for (const hash of first.ownBlobs) candidates.add(hash);
    for (const services of [OTHERS, ['gateway'] as const]) {
      await this.collect(await this.order(job, 'erase', ForgetStep.ERASE, services, signal), counts, candidates);
    }
    const erasedAtMs = Date.now();
    let outcome: Outcome | undefined;
    for (let round = 1; round <= ROUNDS && outcome?.gone !== true; round++) {
      await this.eraseFromTopics(problemId, counts);
      const answers = await this.order(job, `search-${round}`, ForgetStep.SEARCH, serviceNames, signal);
      await this.collect(answers, counts, candidates);
      await this.trimOrders(problemId, signal);
      const found = await lookInTopics(this.log, this.blobs, problemId, words, signal);
      await settle(erasedAtMs, signal);
      const inBlobs = await this.sweep(job, `mark-${round}`, candidates, found, counts, signal);
      outcome = await this.outcomeOf(answers, found, inBlobs, counts, words.length);
    }
    return outcome ?? { gone: false, message: 'no round was made', results: {} };
  }

  async complete(tx: StageTransaction, { key }: LeasedJob<Forgetting>, { gone, message, results }: Outcome) {
    await endCommand(tx, key, gone ? CommandOutcome.DONE : CommandOutcome.FAILED, message, results);
  }

  async fail(tx: StageTransaction, { key }: LeasedJob<Forgetting>, error: Error): Promise<void> {
    const message = `It is not gone everywhere: ${error.message}. Order it again.`;
    await endCommand(tx, key, CommandOutcome.FAILED, message, {});
  }

  /** Clusters find another representative and trainers lose the problem, by the way that every withdrawal goes. */
  private async withdraw(commandId: string, problemId: string, signal: AbortSignal): Promise<void> {
    const withdrawn = create(ProblemWithdrawnSchema, {
      problemId,
      version: ALL_VERSIONS,
      stage: Stage.GATEWAY,
      reason: 'forgotten',
      withdrawnAt: timestampNow(),
    });
    await this.database.transaction('forget-withdraw', async (tx) => {
      tx.publish(causeOf(`${commandId}/withdraw`), topics.problemsWithdrawn, withdrawn);
      await Promise.resolve();
    });
    const underWay = () =>
      this.database.query('SELECT 1 FROM outbox WHERE topic = $1 AND key = convert_to($2, $3)', [
        topics.problemsWithdrawn.name,
        `${problemId}:${Stage[Stage.GATEWAY]}`,
        'UTF8',
      ]);
    while ((await underWay()).length > 0) {
      if (signal.aborted) throw new DependencyFault('stop', 'the service stops');
      await sleep(50);
    }
  }

  private order(
    { key, attempt, payload }: LeasedJob<Forgetting>,
    step: string,
    what: ForgetStep,
    services: readonly ServiceName[],
    signal: AbortSignal,
  ): Promise<Answers> {
    const { problemId, words } = payload;
    return this.orders.order(
      {
        commandId: `${key}/${attempt}`,
        step,
        kind: 'forget_step',
        subject: `forgotten:${problemHash(problemId)}`,
        order: {
          case: 'forget',
          value: { problemId, step: what, words: what === ForgetStep.SEARCH ? [...words] : [] },
        },
        services,
        patienceMs: PATIENCE_MS,
      },
      signal,
    );
  }

  private async collect(answers: Answers, counts: Counts, candidates: Set<string>): Promise<void> {
    for (const [service, { blobs, ...results }] of answers) {
      for (const [name, value] of Object.entries(results)) {
        if (name.startsWith('erased ')) counts.add(`rows of ${service}.${name.slice(7)}`, Number(value));
      }
      if (blobs === undefined) continue;
      // Read twice where an answer is read again: the list may be gone then, and was taken.
      for (const hash of await readHashes(this.blobs, blobs).catch(() => [])) candidates.add(hash);
    }
  }

  private async eraseFromTopics(problemId: string, counts: Counts): Promise<void> {
    const placeholder = placeholderOf(problemId);
    for (const topic of await this.log.admin.list()) {
      const others = isLettersOrOrders(topic) || /\.intake\.v1$/.test(topic) ? 'delete' : 'redact';
      const erased = await this.log.admin.erase(topic, { text: problemId, placeholder, others });
      if (erased !== undefined) counts.add(`records of ${topic}`, erased.deleted + erased.redacted);
    }
  }

  /** Where records go by offset alone: orders that were carried out are of no more use. */
  private async trimOrders(problemId: string, signal: AbortSignal): Promise<void> {
    const { last } = await lookInTopics(this.log, this.blobs, problemId, [], signal);
    for (const service of serviceNames) {
      const { name } = ordersTopic(service);
      const offset = last.get(name);
      if (offset !== undefined) await this.log.admin.deleteRecords(name, 0, offset + 1n);
    }
  }

  /** @returns blobs that hold the problem and stay, since others name them too */
  private async sweep(
    { key, attempt, payload }: LeasedJob<Forgetting>,
    step: string,
    candidates: ReadonlySet<string>,
    found: TopicFindings,
    counts: Counts,
    signal: AbortSignal,
  ): Promise<{ readonly searched: number; readonly kept: number; readonly holdingId: number }> {
    const marks = await this.orders.order(
      {
        commandId: `${key}/${attempt}`,
        step,
        kind: 'mark_blobs',
        subject: '',
        order: { case: 'markBlobs', value: {} },
        patienceMs: PATIENCE_MS,
      },
      signal,
    );
    const named = new Set(found.othersBlobs);
    const lists = new Set([...marks.values()].map(({ marks: list = '' }) => list));
    for (const list of lists) for (const hash of await readHashes(this.blobs, list)) named.add(hash);
    let searched = 0;
    let kept = 0;
    let holdingId = 0;
    for await (const { sha256 } of this.blobs.list()) {
      searched += 1;
      if (lists.has(sha256)) continue;
      const content = Buffer.from(await this.blobs.get(sha256).catch(() => new Uint8Array()));
      const holdsId = content.includes(payload.problemId);
      if (!candidates.has(sha256) && !holdsId && !payload.words.some((word) => content.includes(word))) continue;
      const removed = !named.has(sha256) && (await this.blobs.remove(sha256, payload.beganAtMs));
      if (removed) counts.add('blobs', 1);
      else if (holdsId || !named.has(sha256)) holdingId += 1;
      else kept += 1;
    }
    for (const list of lists) await this.blobs.remove(list, Number.POSITIVE_INFINITY);
    return { searched, kept, holdingId };
  }

  private async outcomeOf(
    answers: Answers,
    found: TopicFindings,
    blobs: { readonly searched: number; readonly kept: number; readonly holdingId: number },
    counts: Counts,
    words: number,
  ): Promise<Outcome> {
    const left: Record<string, string> = {};
    let tables = 0;
    let shared = blobs.kept;
    for (const [service, results] of answers) {
      tables += Number(results.tables ?? 0);
      shared += Number(results.shared ?? 0);
      for (const [name, value] of Object.entries(results)) {
        if (name.startsWith('found ')) left[`found in ${service}.${name.slice(6)}`] = value;
      }
    }
    if (blobs.holdingId > 0) left['found in blobs'] = String(blobs.holdingId);
    const inTables = Object.keys(left).length;
    const inTopics = [...found.records, ...found.words].filter(([topic]) => !topic.startsWith('orders.'));
    for (const [topic, records] of inTopics) left[`found in ${topic}`] = String(records);
    // What a broker can't delete at once is no fault: it is said how long it stays.
    const canErase = (await this.log.admin.erase(topics.commandsCompleted.name, NOTHING)) !== undefined;
    const gone = inTables === 0 && (inTopics.length === 0 || !canErase);
    const where = `${tables} tables, ${found.read} records of topics and ${blobs.searched} blobs`;
    const what = `its id and ${words} pieces of its statement and tests`;
    const rest =
      inTopics.length === 0
        ? `A search of ${where} for ${what} found nothing.`
        : `In topics ${inTopics.length} hold it until retention (7 days) or compaction takes it; services pass it over.`;
    return {
      gone,
      message: gone ? `Forgotten. ${rest}` : `It is still there. Order it again.`,
      results: {
        ...counts.asResults(),
        ...left,
        searched: where,
        'pieces searched for': String(words),
        'of others with equal texts': String(shared),
      },
    };
  }
}

/** Erases nothing: no record holds it. */
const NOTHING = {
  text: 'no record holds this text',
  placeholder: 'no record holds this text',
  others: 'redact',
} as const;

/** What was removed, by place. */
class Counts {
  private readonly counts = new Map<string, number>();

  add(name: string, count: number): void {
    if (count > 0) this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  asResults(): Record<string, string> {
    return Object.fromEntries([...this.counts].map(([name, count]) => [`removed: ${name}`, String(count)]));
  }
}

async function settle(sinceMs: number, signal: AbortSignal): Promise<void> {
  while (Date.now() - sinceMs < SETTLE_MS) {
    if (signal.aborted) throw new DependencyFault('stop', 'the service stops');
    await sleep(100);
  }
}
