import { describeWithKafka } from '@tidemark/testing-servers';
import { afterEach, expect, test, vi } from 'vitest';
import type { LogConsumer } from '../port.ts';
import { Collector } from '../testing/collector.ts';
import { append, Harness, record, unique, until } from '../testing/harness.ts';
import { Fetcher } from './fetcher.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

describeWithKafka('a fetch that is answered after a rebalance', ({ brokers }) => {
  const harness = new Harness({
    open: () => Promise.resolve(openKafkaEventLog({ brokers, replicationFactor: 1 })),
    compactsByItself: true,
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await harness.close();
  });

  /** Holds the first answer about a topic until it is told to come. It brings something for each of four partitions. */
  const holdFirstAnswer = (topic: string) => {
    const { connect } = Fetcher;
    const answered = Promise.withResolvers<void>();
    const come = Promise.withResolvers<void>();
    vi.spyOn(Fetcher, 'connect').mockImplementation(async (...given) => {
      const fetcher = await connect.apply(Fetcher, given);
      if (given[1] !== topic) return fetcher;
      vi.mocked(Fetcher.connect).mockImplementation((...others) => connect.apply(Fetcher, others));
      const fetch = fetcher.fetch.bind(fetcher);
      vi.spyOn(fetcher, 'fetch').mockImplementationOnce(async (nodeId) => {
        const all = new Map([0, 1, 2, 3].map((partition) => [partition, 0n]));
        const answer = await fetch(nodeId, all, { maxWaitMs: 1_000, maxBytesPerPartition: 1 << 20 });
        expect(answer.filter(({ records }) => records.length > 0)).toHaveLength(4);
        answered.resolve();
        await come.promise;
        return answer;
      });
      return fetcher;
    });
    return { answered: answered.promise, come: come.resolve };
  };

  test('takes up no room for partitions that are gone: the member goes on with those it has', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log, { partitions: 4 });
    const writer = await log.writer(unique());
    const group = unique();
    const round = (number: number) => Array.from({ length: 80 }, (_, i) => record(topic, `${i}`, `${number} ${i}`));
    await append(writer, ...round(1));
    const held = holdFirstAnswer(topic);
    const collectors = [new Collector(harness.offsets, group), new Collector(harness.offsets, group)] as const;
    // Whatever is held for nobody leaves no room for more.
    const options = { group, topic, sessionTimeoutMs: 6_000, maxHeldBytes: 1 };
    const first = await log.consume({ ...options, sessions: collectors[0] });
    await held.answered;
    const second = await (await harness.open()).consume({ ...options, sessions: collectors[1] });
    const shares = (member: LogConsumer) => member.assignment().length;
    await until('two each', () => shares(first) === 2 && shares(second) === 2);
    held.come();
    await until('the first round', () => collectors.flatMap((one) => one.values()).length >= 80);
    await append(writer, ...round(2));
    await until('the second round', () => collectors.flatMap((one) => one.values()).length >= 160);
    expect(new Set(collectors.flatMap((one) => one.values())).size).toBe(160);
    expect(collectors[0].values().some((value) => value.startsWith('2 '))).toBe(true);
    expect(collectors.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
