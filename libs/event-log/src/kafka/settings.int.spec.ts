import net from 'node:net';
import { describeWithKafka } from '@tidemark/testing-servers';
import { Kafka, logLevel } from 'kafkajs';
import { afterEach, expect, test, vi } from 'vitest';
import { TopicMismatchError } from '../errors.ts';
import { Harness, unique } from '../testing/harness.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

/** How topics are made on Kafka. */
describeWithKafka('topics on Kafka', ({ brokers }) => {
  const said: string[] = [];
  const harness = new Harness({
    open: () =>
      Promise.resolve(
        openKafkaEventLog({
          brokers,
          replicationFactor: 1,
          topicConfig: { 'segment.bytes': '1048576' },
          log: (level, message) => said.push(`${level} ${message}`),
        }),
      ),
    compactsByItself: true,
  });
  afterEach(() => harness.close());

  test('have the settings that were asked for', async () => {
    const log = await harness.open();
    const compacted = await harness.topic(log, { cleanup: 'compact', retentionMs: 7_000, logAppendTime: true });
    const deleted = await harness.topic(log, { cleanup: 'delete', retentionMs: 9_000, partitions: 3 });
    const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const settingsOf = async (name: string) => {
      // 2 stands for a topic; kafkajs declares the enum without exporting it to ES modules.
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name }] });
      return Object.fromEntries(resources[0]?.configEntries.map((e) => [e.configName, e.configValue]) ?? []);
    };
    expect(await settingsOf(compacted)).toMatchObject({
      'cleanup.policy': 'compact',
      'delete.retention.ms': '7000',
      'message.timestamp.type': 'LogAppendTime',
      'min.insync.replicas': '1',
      'max.message.bytes': '1048588',
      'unclean.leader.election.enable': 'false',
      'segment.bytes': '1048576',
    });
    expect(await settingsOf(deleted)).toMatchObject({
      'cleanup.policy': 'delete',
      'retention.ms': '9000',
      'message.timestamp.type': 'CreateTime',
    });
    await admin.disconnect();
    // kafkajs's own alarms are no news for an operator.
    expect(said.some((line) => line.startsWith('warn'))).toBe(false);
  });

  test('are described over connections that stay', async () => {
    const log = await harness.open();
    const names = [await harness.topic(log), await harness.topic(log)];
    await log.admin.describeAll(names);
    const connections = vi.spyOn(net, 'connect');
    try {
      for (let look = 0; look < 5; look += 1) {
        expect([...(await log.admin.describeAll(names)).keys()]).toEqual(names);
        expect(await log.admin.list()).toEqual(expect.arrayContaining(names));
      }
      expect(connections).not.toHaveBeenCalled();
      const other = await harness.open();
      expect([...(await other.admin.describeAll(names)).keys()]).toEqual(names);
      expect(connections).toHaveBeenCalled();
    } finally {
      connections.mockRestore();
    }
  });

  test('that the cluster refuses are an error at once, with the reason', async () => {
    const log = openKafkaEventLog({ brokers, replicationFactor: 9 });
    const refused = harness.topic(log, { name: `test.${unique()}.v1` });
    await expect(refused).rejects.toThrow(TopicMismatchError);
    await expect(refused).rejects.toThrow(/[Rr]eplication/);
    await log.close();
  });
});
