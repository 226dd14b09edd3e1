import type { Admin, ITopicConfig } from 'kafkajs';
import { Backoff, sleep } from '../backoff.ts';
import { FencedError, LogUnavailableError, TopicMismatchError } from '../errors.ts';
import type { EventLogAdmin, LogBounds, OutgoingRecord, TopicDescription, TopicSettings, TopicSpec } from '../port.ts';
import { type KafkaClient, kafkaErrorType } from './client.ts';
import { TopicBounds } from './topic-bounds.ts';
import { newIncarnation, registryTopic, type TopicLife, type TopicRegistry } from './topic-registry.ts';
import { KafkaWriter } from './writer.ts';

/** Tries while the log is away. */
const rounds = 10;
/** Admins that meet fence each other out; every service of an installation may start at once, on a slow machine. */
const crowdPatienceMs = 180_000;

/** What `describeConfigs` calls a topic; kafkajs declares the enum without exporting it to ES modules. */
const topicResource = 2;

/** How long brokers may take to lead the partitions of a topic that was created, in ms. */
const knownWithinMs = 60_000;

export class KafkaAdmin implements EventLogAdmin {
  readonly #client: KafkaClient;
  readonly #registry: TopicRegistry;
  readonly #bounds: TopicBounds;
  #registryIsThere = false;

  constructor(client: KafkaClient, registry: TopicRegistry) {
    this.#client = client;
    this.#registry = registry;
    this.#bounds = new TopicBounds(client);
  }

  async ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    const wanted = new Map(specs.map((spec) => [spec.name, spec]));
    await this.#ensureRegistry();
    await this.#registry.refresh();
    // Most often all is there, and nobody has to be fenced out for that.
    if (await this.#allThere(wanted)) return;
    await this.#asOnlyAdmin(async (write) => {
      await this.#registry.refresh();
      const missing = await this.#missing([...wanted.values()]);
      const lives = new Map<string, TopicLife>();
      for (const spec of wanted.values()) {
        const life = this.#registry.get(spec.name);
        if (!life || (missing.has(spec.name) && life.state === 'created')) {
          const state = missing.has(spec.name) ? 'creating' : 'created';
          lives.set(spec.name, { incarnation: newIncarnation(), state, ...shapeOf(spec) });
        }
      }
      await write(lives);
      await this.#registry.refresh();
      await this.#create([...missing].flatMap((name) => wanted.get(name) ?? []));
      const created = new Map<string, TopicLife>();
      for (const spec of wanted.values()) {
        const life = this.#registry.get(spec.name);
        if (life?.state === 'creating') created.set(spec.name, { ...life, state: 'created' });
      }
      await write(created);
    });
    await this.#untilKnown(wanted);
  }

  /** What the controller has created the brokers learn a little later, and lead a little later still. */
  async #untilKnown(wanted: ReadonlyMap<string, TopicSpec>): Promise<void> {
    const giveUpAt = performance.now() + knownWithinMs;
    for (;;) {
      await this.#registry.refresh();
      if ((await this.#allThere(wanted)) && (await this.#allLed(wanted))) return;
      if (performance.now() > giveUpAt) {
        throw new LogUnavailableError('the brokers do not know of topics that were created');
      }
      await sleep(100);
    }
  }

  /** Whether every partition has a leader that answers for it: before, what is appended to it is refused. */
  async #allLed(wanted: ReadonlyMap<string, TopicSpec>): Promise<boolean> {
    const bounds = await this.#bounds.of([...wanted.keys()]).catch(() => new Map<string, readonly LogBounds[]>());
    return [...wanted.values()].every(({ name, partitions }) => bounds.get(name)?.length === partitions);
  }

  async describe(topic: string): Promise<TopicDescription | undefined> {
    return (await this.describeAll([topic])).get(topic);
  }

  async describeAll(topics: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>> {
    await this.#ensureRegistry();
    for (;;) {
      const bounds = await this.#bounds.of([...topics, registryTopic]);
      // What the registry says belongs to these bounds when nothing was written to it before they were asked for.
      if (this.#registry.hasRead(bounds.get(registryTopic)?.[0]?.logEnd ?? 0n)) {
        return new Map(topics.flatMap((name) => this.#described(name, bounds.get(name))));
      }
      await this.#registry.refresh();
    }
  }

  #described(name: string, partitions: readonly LogBounds[] | undefined): [string, TopicDescription][] {
    const incarnation = this.#registry.get(name)?.incarnation;
    return incarnation === undefined || !partitions ? [] : [[name, { name, incarnation, partitions }]];
  }

  async settings(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>> {
    return await this.#client.withAdmin(async (admin) => {
      const known = new Set(await admin.listTopics());
      const there = topics.filter((topic) => known.has(topic));
      if (there.length === 0) return new Map();
      const metadata = await admin.fetchTopicMetadata({ topics: there });
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: there.map((name) => ({ type: topicResource, name })),
      });
      const entriesOf = new Map(resources.map((r) => [r.resourceName, r.configEntries]));
      return new Map(
        metadata.topics.map(({ name, partitions }) => [name, toSettings(partitions, entriesOf.get(name) ?? [])]),
      );
    });
  }

  async list(): Promise<readonly string[]> {
    const names = await this.#bounds.names();
    return names.filter((name) => !name.startsWith('__') && name !== registryTopic).sort();
  }

  close(): Promise<void> {
    return this.#bounds.close();
  }

  async deleteTopic(topic: string): Promise<void> {
    await this.#ensureRegistry();
    await this.#asOnlyAdmin(async (write) => {
      await write(new Map([[topic, null]]));
      await this.#client.withAdmin(async (admin) => {
        if (!(await admin.listTopics()).includes(topic)) return;
        await admin.deleteTopics({ topics: [topic], timeout: 10_000 }).catch((error: unknown) => {
          if (kafkaErrorType(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
        });
      });
    });
    await this.#registry.refresh();
  }

  /** The broker compacts in its own time. */
  async compact(topic: string): Promise<void> {
    const life = await this.#registry.lookUp(topic);
    if (life?.cleanup !== 'compact') throw new TopicMismatchError(topic, 'is not a compacted topic');
  }

  async deleteRecords(topic: string, partition: number, before: bigint): Promise<void> {
    await this.#client.withAdmin(async (admin) => {
      // Fills the admin's metadata, which the next call takes for granted.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(before) }] });
    });
  }

  /** A broker deletes by offset, time and key alone. */
  erase(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async #allThere(wanted: ReadonlyMap<string, TopicSpec>): Promise<boolean> {
    const names = new Set(await this.list());
    const there = [...wanted.keys()].filter((name) => names.has(name));
    if (there.length > 0) {
      const { topics } = await this.#client.withAdmin((admin) => admin.fetchTopicMetadata({ topics: there }));
      for (const { name, partitions } of topics)
        checkSame(wanted.get(name), partitions.length, this.#registry.get(name));
    }
    return [...wanted.keys()].every((name) => names.has(name) && this.#registry.get(name)?.state === 'created');
  }

  /** The topics that the controller would create: brokers' own lists lag behind. */
  async #missing(specs: readonly TopicSpec[]): Promise<Set<string>> {
    const there = await this.#client.withAdmin((admin) =>
      existing(
        admin,
        specs.map((spec) => this.#config(spec)),
      ),
    );
    return new Set(specs.map((spec) => spec.name).filter((name) => !there.has(name)));
  }

  async #create(specs: readonly TopicSpec[]): Promise<void> {
    if (specs.length === 0) return;
    await this.#client.withAdmin(async (admin) => {
      const there = await existing(
        admin,
        specs.map((spec) => this.#config(spec)),
      );
      const topics = specs.filter((spec) => !there.has(spec.name)).map((spec) => this.#config(spec));
      if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: true, timeout: 30_000 });
    });
  }

  async #ensureRegistry(): Promise<void> {
    if (this.#registryIsThere) return;
    await this.#client.withAdmin(async (admin) => {
      if ((await admin.listTopics()).includes(registryTopic)) return;
      const spec = { name: registryTopic, partitions: 1, cleanup: 'compact', retentionMs: 86_400_000 } as const;
      await admin.createTopics({ topics: [this.#config({ ...spec, logAppendTime: false })], timeout: 30_000 });
    });
    this.#registryIsThere = true;
  }

  /** Runs a task during which no other admin can write to the registry; begins again when one got in between. */
  async #asOnlyAdmin(
    task: (write: (lives: ReadonlyMap<string, TopicLife | null>) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    // Whoever comes fences the one at work: a crowd has to spread out until each has time enough to get done.
    const backoff = new Backoff({ firstMs: 50, longestMs: 10_000 });
    const until = performance.now() + crowdPatienceMs;
    for (let round = 1; ; round += 1) {
      const registry = { partitions: 1, cleanup: 'compact' } as const;
      const writer = new KafkaWriter(this.#client, 'tidemark.topics', () => Promise.resolve(registry));
      try {
        await writer.transaction(() => Promise.resolve([]));
        await task(async (lives) => {
          await writer.transaction(() => Promise.resolve([...lives].map(toRecord)));
        });
        return;
      } catch (error) {
        const fenced = error instanceof FencedError && performance.now() < until;
        const away = error instanceof LogUnavailableError && round < rounds;
        if (!fenced && !away) throw error;
        await sleep(backoff.next());
      } finally {
        await writer.close();
      }
    }
  }

  #config(spec: TopicSpec): ITopicConfig {
    const { replicationFactor = 3, minInsyncReplicas = 2, topicConfig = {} } = this.#client.options;
    const settings: Record<string, string> = {
      'cleanup.policy': spec.cleanup,
      // A compacted topic keeps tombstones that long; the records themselves stay.
      [spec.cleanup === 'compact' ? 'delete.retention.ms' : 'retention.ms']: String(spec.retentionMs),
      'message.timestamp.type': spec.logAppendTime ? 'LogAppendTime' : 'CreateTime',
      'max.message.bytes': '1048588',
      'min.insync.replicas': String(Math.min(minInsyncReplicas, replicationFactor)),
      'unclean.leader.election.enable': 'false',
      ...topicConfig,
    };
    return {
      topic: spec.name,
      numPartitions: spec.partitions,
      replicationFactor,
      configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
    };
  }
}

function toSettings(
  partitions: readonly { readonly replicas: readonly number[]; readonly isr: readonly number[] }[],
  configured: readonly { readonly configName: string; readonly configValue: string }[],
): TopicSettings {
  const entries = new Map(configured.map((entry) => [entry.configName, entry.configValue]));
  const cleanup = entries.get('cleanup.policy') === 'compact' ? 'compact' : 'delete';
  const retention = entries.get(cleanup === 'compact' ? 'delete.retention.ms' : 'retention.ms');
  const shown = ['min.insync.replicas', 'max.message.bytes', 'unclean.leader.election.enable'];
  return {
    cleanup,
    partitions: partitions.length,
    retentionMs: Number(retention),
    logAppendTime: entries.get('message.timestamp.type') === 'LogAppendTime',
    further: {
      replicas: String(Math.min(...partitions.map(({ replicas }) => replicas.length))),
      'replicas in sync': String(Math.min(...partitions.map(({ isr }) => isr.length))),
      ...Object.fromEntries(shown.map((name) => [name, entries.get(name) ?? ''])),
    },
  };
}

const shapeOf = ({ partitions, cleanup }: TopicSpec) => ({ partitions, cleanup });

const toRecord = ([topic, life]: [string, TopicLife | null]): OutgoingRecord => ({
  topic: registryTopic,
  key: Buffer.from(topic, 'utf8'),
  value: life && Buffer.from(JSON.stringify(life), 'utf8'),
  headers: {},
});

function checkSame(spec: TopicSpec | undefined, partitions: number, life: TopicLife | undefined): void {
  if (!spec) return;
  if (partitions !== spec.partitions) {
    throw new TopicMismatchError(
      spec.name,
      `has ${partitions} partitions, not ${spec.partitions}: more partitions are a new topic and a migration`,
    );
  }
  if (life && life.cleanup !== spec.cleanup) {
    throw new TopicMismatchError(spec.name, `has clean-up ${life.cleanup}, not ${spec.cleanup}`);
  }
}

/** Of these topics, those that the controller knows. */
async function existing(admin: Admin, topics: ITopicConfig[]): Promise<Set<string>> {
  if (topics.length === 0) return new Set();
  try {
    if (await admin.createTopics({ topics, validateOnly: true, waitForLeaders: false })) return new Set();
    // kafkajs says no as soon as one of them is there: each is asked for by itself.
    if (topics.length === 1) return new Set(topics.map(({ topic }) => topic));
    const there = await Promise.all(topics.map((topic) => existing(admin, [topic])));
    return new Set(there.flatMap((names) => [...names]));
  } catch (error) {
    // One error for each topic; its class is not among what kafkajs exports to ES modules.
    if (!(error instanceof Error && 'errors' in error && Array.isArray(error.errors))) throw error;
    const found = new Set<string>();
    for (const one of error.errors as unknown[]) {
      const topic = one instanceof Error && 'topic' in one ? String(one.topic) : '';
      if (kafkaErrorType(one) === 'TOPIC_ALREADY_EXISTS') found.add(topic);
      else
        throw new TopicMismatchError(topic, one instanceof Error ? `Kafka refuses it: ${one.message}` : 'is refused');
    }
    return found;
  }
}
