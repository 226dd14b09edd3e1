import { topics } from '@tidemark/event-log';
import { create } from '@bufbuild/protobuf';
import { ProblemNormalizedSchema } from '@tidemark/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DependencyFault, type Origin, RecordFault, type StageTransaction } from '../api.ts';
import { deadLetters } from '../ensure-topics.ts';
import { StageDatabase } from '../injectables.ts';
import { echoStage, echoState, raw } from '../testing/echo-stage.ts';
import { type StageHarness, startStage } from '../testing/index.ts';

describe('records that waited and are taken up', () => {
  let stage: StageHarness;
  beforeEach(async () => {
    Object.assign(echoState, { dependencyAway: false, calls: 0, mended: false });
    stage = await startStage(echoStage, { partitions: 1 });
  });
  afterEach(() => stage.stop());

  const waited = (id: string): Origin => ({
    id,
    traceparent: undefined,
    revision: undefined,
    replays: 0,
    record: {
      topic: topics.problemsRaw.name,
      partition: 0,
      offset: 7n,
      timestampMs: 1,
      key: Buffer.from(id),
      value: Buffer.from(`bytes of ${id}`),
      headers: {},
    },
  });
  const takeUp = (
    records: readonly Origin[],
    handle: (tx: StageTransaction, some: readonly Origin[]) => Promise<void>,
  ) => stage.service.get(StageDatabase).transaction('timer', (tx) => tx.takeUp(topics.problemsRaw, records, handle));
  const sendOn = (tx: StageTransaction, record: Origin) =>
    tx.publish(record, topics.problemsNormalized, create(ProblemNormalizedSchema, { problemId: record.id }));

  it('lead to the event ids that their handler would have given', async () => {
    await stage.publish(topics.problemsRaw, raw('a'));
    await stage.untilQuiet();
    const [read] = await stage.published(topics.problemsRaw);
    await takeUp([waited(read?.id ?? '')], async (tx, some) => {
      for (const record of some) sendOn(tx, record);
    });
    await stage.untilQuiet();
    const ids = (await stage.published(topics.problemsNormalized)).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it.each(['a fault that names its record', 'a fault that nobody foresaw', 'SQL that its content breaks'])(
    'are handled but for those at fault: %s',
    async (fault) => {
      const records = Array.from({ length: 9 }, (_, index) => waited(index % 4 === 2 ? `bad-${index}` : `${index}`));
      const laidAside = await takeUp(records, async (tx, some) => {
        for (const record of some) {
          await tx.query('INSERT INTO echoed VALUES ($1, 1, 1)', [record.id]);
          sendOn(tx, record);
          if (!record.id.startsWith('bad')) continue;
          if (fault.endsWith('names its record')) throw new RecordFault('bad', 'no good', record);
          if (fault.endsWith('foresaw')) throw new TypeError('nobody foresaw this');
          await tx.query("SELECT 'no number'::integer");
        }
      });
      expect(laidAside.map(({ id }) => id)).toEqual(['bad-2', 'bad-6']);
      await stage.untilQuiet();
      const good = records.map(({ id }) => id).filter((id) => !id.startsWith('bad'));
      const rows = await stage.query<{ problem_id: string }>('SELECT problem_id FROM echoed ORDER BY 1');
      expect(rows.map(({ problem_id }) => problem_id)).toEqual(good);
      const sent = await stage.published(topics.problemsNormalized);
      expect(sent.map(({ key }) => key).sort()).toEqual(good);
      const letters = await stage.published(deadLetters(topics.problemsRaw.name, 'normalize'));
      expect(letters.map(({ value }) => Buffer.from(value?.value ?? []).toString())).toEqual([
        'bytes of bad-2',
        'bytes of bad-6',
      ]);
    },
  );

  it('wait on when a dependency is away: none is laid aside', async () => {
    const taking = takeUp([waited('a'), waited('b')], async (tx, some) => {
      for (const record of some) sendOn(tx, record);
      throw new DependencyFault('the endpoint', 'it is away');
    });
    await expect(taking).rejects.toThrow('it is away');
    await stage.untilQuiet();
    expect((await stage.service.activity()).deadLetters).toEqual({});
    expect(await stage.published(topics.problemsNormalized)).toEqual([]);
  });
});
