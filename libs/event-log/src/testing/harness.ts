import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog, FencedWriter, LogRecord, OutgoingRecord, PartitionId, TopicSpec } from '../port.ts';
import { Offsets } from './offsets.ts';

/** One version of the event log, as the contract suite uses it. */
export interface LogVersion {
  /** Another process, so to speak: an instance with connections of its own. */
  open(): Promise<EventLog>;
  /** Compaction comes in the log's own time, after more was appended, not when it is asked for. */
  readonly compactsByItself: boolean;
}

/** Keeps what a test opens, and closes it. */
export class Harness {
  readonly offsets = new Offsets();
  readonly #version: LogVersion;
  readonly #logs: EventLog[] = [];

  constructor(version: LogVersion) {
    this.#version = version;
  }

  get compactsByItself(): boolean {
    return this.#version.compactsByItself;
  }

  async open(): Promise<EventLog> {
    const log = await this.#version.open();
    this.#logs.push(log);
    return log;
  }

  async close(): Promise<void> {
    await Promise.all(this.#logs.splice(0).map((log) => log.close()));
  }

  /** A topic that no other test knows. */
  async topic(log: EventLog, spec: Partial<TopicSpec> = {}): Promise<string> {
    const name = spec.name ?? `test.${unique()}.v1`;
    await log.admin.ensureTopics([
      { name, partitions: 1, cleanup: 'delete', retentionMs: 3_600_000, logAppendTime: false, ...spec },
    ]);
    return name;
  }
}

export const unique = (): string => randomBytes(5).toString('hex');

export const bytes = (value: string): Buffer => Buffer.from(value, 'utf8');

export const record = (topic: string, key: string | null, value: string | null, headers = {}): OutgoingRecord => ({
  topic,
  key: key === null ? null : bytes(key),
  value: value === null ? null : bytes(value),
  headers,
});

/** Appends in one transaction of its own. */
export async function append(writer: FencedWriter, ...records: OutgoingRecord[]): Promise<void> {
  await writer.transaction(() => Promise.resolve(records));
}

/** All that lies in a partition now. */
export async function readAll(log: EventLog, topic: string, partition = 0): Promise<LogRecord[]> {
  const bounds = (await log.admin.describe(topic))?.partitions[partition];
  if (!bounds) throw new Error(`no ${topic}/${partition}`);
  const records: LogRecord[] = [];
  const signal = AbortSignal.timeout(30_000);
  for await (const found of log.read({ topic, partition, from: bounds.logStart, until: bounds.logEnd, signal })) {
    records.push(found);
  }
  return records;
}

export async function partitionIdOf(log: EventLog, topic: string, partition = 0): Promise<PartitionId> {
  const incarnation = (await log.admin.describe(topic))?.incarnation ?? '';
  return { topic, partition, incarnation };
}

/** Waits until a condition holds. @throws Error that names it, after `timeoutMs` */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(20);
  }
}
