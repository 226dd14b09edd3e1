import type { Consumer } from 'kafkajs';
import { asUnavailable, type KafkaClient } from './client.ts';

export interface MemberListener {
  /** A new generation of the group: exactly these partitions are held. */
  onAssigned(partitions: readonly number[]): void;
  /** The group is being shared anew: nothing is held for certain. */
  onRebalancing(): void;
  /** The membership ended by itself. */
  onCrash(error: Error): void;
}

/**
 * Membership of a group through kafkajs, and nothing else of it: every partition stays paused, so its consumer joins,
 * sends heartbeats and hands over assignments, whatever the work on a batch takes. Reading is the {@link Fetcher}'s.
 */
export class GroupMember {
  readonly #consumer: Consumer;
  readonly #topic: string;

  constructor(client: KafkaClient, group: string, topic: string, sessionTimeoutMs: number) {
    this.#topic = topic;
    this.#consumer = client.kafka.consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.floor(sessionTimeoutMs / 4),
      // With all paused this is the pause between two looks at whether a heartbeat is due.
      maxWaitTimeInMs: Math.min(500, Math.floor(sessionTimeoutMs / 10)),
      allowAutoTopicCreation: false,
      // A crash ends this member; its owner begins another one, after a wait of its own.
      retry: { retries: 8, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: () => Promise.resolve(false) },
    });
  }

  async join(listener: MemberListener): Promise<void> {
    const { GROUP_JOIN, REBALANCING, CRASH } = this.#consumer.events;
    this.#consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#consumer.pause([{ topic: this.#topic }]);
      listener.onAssigned(payload.memberAssignment[this.#topic] ?? []);
    });
    this.#consumer.on(REBALANCING, () => listener.onRebalancing());
    this.#consumer.on(CRASH, ({ payload }) => listener.onCrash(asUnavailable(payload.error)));
    await this.#consumer.connect();
    // Nothing is read through it, so where it would begin does not matter.
    await this.#consumer.subscribe({ topic: this.#topic, fromBeginning: true });
    await this.#consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: () => Promise.resolve() });
  }

  /** Tells Kafka how far the group is, for tools that show lag. What counts is stored elsewhere. */
  async commit(offsets: ReadonlyMap<number, bigint>): Promise<void> {
    await this.#consumer.commitOffsets(
      [...offsets].map(([partition, offset]) => ({ topic: this.#topic, partition, offset: String(offset) })),
    );
  }

  async leave(): Promise<void> {
    await this.#consumer.disconnect();
  }
}
