import { setTimeout as delay } from 'node:timers/promises';
import { describeWithOwnKafka } from '@tidemark/testing-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogUnavailableError } from '../errors.ts';
import { Collector, text } from '../testing/collector.ts';
import { append, Harness, record, unique, until } from '../testing/harness.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

/** Longer than every time-out on the way; `TIDEMARK_TEST_OUTAGE_MS=60000` is the minute of the design. */
const outageMs = Number(process.env['TIDEMARK_TEST_OUTAGE_MS'] ?? 15_000);

describeWithOwnKafka(
  'a broker',
  (broker) => {
    const said: string[] = [];
    const harness = new Harness({
      open: () =>
        Promise.resolve(
          openKafkaEventLog({
            brokers: broker.brokers,
            replicationFactor: 1,
            log: (level, message) => said.push(`${level} ${message}`),
          }),
        ),
      compactsByItself: true,
    });
    beforeEach(() => {
      said.length = 0;
    });
    afterEach(() => harness.close());

    /** What a relay does: a new writer after each failure, until it is through. */
    const publish = async (log: Awaited<ReturnType<typeof harness.open>>, topic: string, value: string) => {
      const name = unique();
      await until(
        `${value} is written`,
        async () => {
          const writer = await log.writer(name);
          try {
            await append(writer, record(topic, 'a', value));
            return true;
          } catch {
            return false;
          } finally {
            await writer.close();
          }
        },
        90_000,
      );
    };

    test('that starts late, and whose coordinators are not there in its first seconds, is waited for calmly', async () => {
      await broker.crash();
      const log = await harness.open();
      const topic = `test.${unique()}.v1`;
      const collector = new Collector(harness.offsets, unique());
      const joining = log.consume({ group: unique(), topic, sessions: collector });
      await expect(log.ping()).rejects.toThrow(LogUnavailableError);
      await until('the fault is told', () => collector.faults.length > 0);
      expect(collector.faults[0]?.fault).toBeInstanceOf(LogUnavailableError);
      // Nobody waits for its coordinators: group and transactions begin in its first moment.
      await broker.revive();
      await until('the topic', () =>
        harness.topic(log, { name: topic }).then(
          () => true,
          () => false,
        ),
      );
      await publish(log, topic, '1');
      const consumer = await joining;
      await until('the first', () => collector.stored.length > 0);
      expect(new Set(collector.values())).toEqual(new Set(['1']));
      await until('the recovery is told', () => collector.recovered > 0);
      expect(consumer.assignment().length).toBe(1);
      // What kafkajs calls an error and mends itself is no alarm.
      expect(said.filter((line) => !/^(info|debug) /.test(line))).toEqual([]);
    }, 120_000);

    test('that is away for a while is told of, and all goes on by itself when it is back', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const writer = await log.writer(unique());
      const collector = new Collector(harness.offsets, unique());
      await log.consume({ group: unique(), topic, sessions: collector });
      const ending = new AbortController();
      await append(writer, record(topic, 'a', '1'));
      await until('the first', () => collector.stored.length === 1);
      await broker.crash();
      await until('the fault is told', () =>
        collector.faults.some(({ fault }) => fault instanceof LogUnavailableError),
      );
      await expect(append(writer, record(topic, 'a', 'lost'))).rejects.toThrow(LogUnavailableError);
      const recoveredBefore = collector.recovered;
      await delay(outageMs);
      expect(collector.recovered).toBe(recoveredBefore);
      await broker.revive();
      await until('the recovery is told', () => collector.recovered > recoveredBefore, 60_000);
      await expect(append(writer, record(topic, 'a', 'discarded'))).rejects.toThrow(LogUnavailableError);
      await publish(log, topic, '2');
      await until('the second', () => collector.values().includes('2'), 60_000);
      const read: (string | null)[] = [];
      for await (const found of log.read({ topic, partition: 0, from: 0n, until: 3n, signal: ending.signal })) {
        read.push(text(found.value));
      }
      expect([...new Set(collector.values())]).toEqual(['1', '2']);
      expect(read).toContain('1');
    }, 240_000);

    test('that goes away keeps nobody from stopping and closing', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const collector = new Collector(harness.offsets, unique());
      const consumer = await log.consume({ group: unique(), topic, sessions: collector });
      await log.writer(unique());
      await broker.crash();
      try {
        await until('the fault is told', () => collector.faults.length > 0);
        const began = performance.now();
        await consumer.stop();
        await harness.close();
        expect(performance.now() - began).toBeLessThan(20_000);
      } finally {
        await broker.revive();
      }
    }, 120_000);
  },
  { cold: true },
);

describeWithOwnKafka(
  'a crash of the client that it does not mend itself',
  ({ brokers }) => {
    const harness = new Harness({
      open: () => Promise.resolve(openKafkaEventLog({ brokers, replicationFactor: 1 })),
      compactsByItself: true,
    });
    afterEach(() => harness.close());

    test('ends no consumer: it is told, and joins once it can', async () => {
      const log = await harness.open();
      const topic = await harness.topic(log);
      const group = unique();
      const first = await log.consume({ group, topic, sessions: new Collector(harness.offsets, group) });
      const collector = new Collector(harness.offsets, group);
      // The broker takes one member a group; the refusal is one that kafkajs does not try again.
      const joining = (await harness.open()).consume({ group, topic, sessions: collector });
      await until('it is told, again and again', () => collector.faults.length >= 3);
      expect(collector.faults[0]?.fault.message).toMatch(/max(imum)? size|GROUP_MAX_SIZE/i);
      await first.stop();
      await joining;
      await append(await log.writer(unique()), record(topic, 'a', '1'));
      await until('it works', () => collector.stored.length === 1);
      expect(collector.recovered).toBeGreaterThan(0);
    }, 90_000);
  },
  { settings: { 'group.max.size': '1' } },
);
