/** Records that nobody in the system would write, or would write once. */
import { randomUUID } from 'node:crypto';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { RolloutsGradedSchema } from '../../proto/dist/index.js';

/** Between services; what people and trainers offer is theirs to repeat, and is submitted twice by other faults. */
const INNER =
  /^(problems\.(raw|normalized|unique|verified|scored|status)|rollouts\.(submitted|graded)|difficulty\.estimated)\.v1$/;
/** Topics, and how many services read each: every one of them lays a record aside for itself. */
const POISONED = [
  ['problems.intake.v1', 1],
  ['rollouts.intake.v1', 1],
  ['problems.raw.v1', 2],
  ['problems.normalized.v1', 2],
  ['rollouts.submitted.v1', 1],
];
export const POISON_BLOWS = POISONED.length;
export const FUTURE_GROUP = 'group-of-a-later-release';

export const lettersOfPoison = (count) => POISONED.reduce((sum, [, readers]) => sum + readers * count, 0);

const TOO_LARGE = 1_000_000;
const MARK = 'tidemark-faults';
/** Says of a record as the gateway shows it that a fault wrote it: it is no move of the system's own. */
export const isInjected = ({ headers }) => headers !== undefined && MARK in headers;
const marked = ({ topic, key, value, headers }) => ({
  topic,
  key,
  value,
  headers: { ...headers, [MARK]: Buffer.from('1') },
});

async function append(system, records) {
  if (records.length === 0) return;
  const writer = await (await system.log).writer(`tidemark.faults.${randomUUID()}`);
  try {
    await writer.transaction(async () => records);
  } finally {
    await writer.close();
  }
}

async function readAll(system, topic) {
  const log = await system.log;
  const description = await log.admin.describe(topic);
  const records = [];
  for (const [partition, { logStart, logEnd }] of (description?.partitions ?? []).entries()) {
    const options = { topic, partition, from: logStart, until: logEnd, signal: new AbortController().signal };
    for await (const record of log.read(options)) records.push(record);
  }
  return records;
}

const innerTopics = async (system) => (await (await system.log).admin.list()).filter((name) => INNER.test(name));

/** Everything once more, the newest first. */
export async function deliverAgain(system) {
  for (const topic of await innerTopics(system)) {
    const records = (await readAll(system, topic)).filter((record) => !isInjected(record));
    await append(system, records.toReversed().map(marked));
  }
}

/** The newest of each key to the end of its compacted topic, where it was: what was put behind it would survive it. */
export async function putNewestBack(system) {
  for (const topic of (await innerTopics(system)).filter((name) => !name.startsWith('rollouts.'))) {
    const newest = new Map();
    for (const record of await readAll(system, topic)) if (!isInjected(record)) newest.set(String(record.key), record);
    await append(system, [...newest.values()].map(marked));
  }
}

export async function appendPoison(system, blow, count) {
  const [topic] = POISONED[blow];
  const records = Array.from({ length: count }, (_, index) =>
    marked({ topic, key: Buffer.from(`poison-${index}`), value: Buffer.from(`no message ${index}`), headers: {} }),
  );
  await append(system, records);
}

export async function appendTooLarge(system) {
  const kafka = new Kafka({ brokers: system.broker.brokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  for (const topic of ['problems.intake.v1', 'rollouts.intake.v1', 'rollouts.submitted.v1'])
    await producer.send({ topic, messages: [{ key: 'large', value: Buffer.alloc(TOO_LARGE, 0xff) }] });
  await producer.disconnect();
}

/** Not one that {@link appendTooLarge} wrote before. */
const isMessage = ({ value }) => value.length < TOO_LARGE;

/** Field 15,000, a number: no release knows it yet. */
const UNKNOWN_FIELD = Buffer.from([0xc0, 0xa9, 0x07, 0x2a]);
const LATER_VERDICT = 77;

/** Of a graded group one of a later release, with a verdict that nobody knows, and one of an earlier one, which says less. */
export async function appendFromOtherReleases(system, _random, blow) {
  for (const topic of ['problems.intake.v1', 'rollouts.intake.v1', 'rollouts.submitted.v1']) {
    const records = (await readAll(system, topic)).filter((record) => !isInjected(record) && isMessage(record));
    const later = records.map((record) => ({ ...record, value: Buffer.concat([record.value, UNKNOWN_FIELD]) }));
    await append(system, later.map(marked));
  }
  const graded = (await readAll(system, 'rollouts.graded.v1')).filter((record) => !isInjected(record));
  const altered = graded.map((record) => {
    const message = fromBinary(RolloutsGradedSchema, record.value);
    if (blow === 0) {
      Object.assign(message, { suiteHash: '', judgeVersion: '', gradedAt: undefined });
      return { ...record, headers: {}, value: toBinary(RolloutsGradedSchema, message) };
    }
    message.group.groupId = FUTURE_GROUP;
    message.verdicts[0].verdict = LATER_VERDICT;
    const value = Buffer.concat([toBinary(RolloutsGradedSchema, message), UNKNOWN_FIELD]);
    return { ...record, headers: {}, value };
  });
  await append(system, (blow === 0 ? altered : altered.slice(0, 1)).map(marked));
}
