import { create, toBinary } from '@bufbuild/protobuf';
import { ordersTopic, topics } from '@tidemark/event-log';
import { DeadLetterSchema, RolloutsSubmittedSchema, ServiceOrderSchema } from '@tidemark/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DependencyFault, RecordFault } from './api.ts';
import { deadLetters } from './ensure-topics.ts';
import { StageDatabase } from './injectables.ts';
import { sleep } from './sleep.ts';
import { PATIENCE } from './testing/patience.ts';
import { gradeJob, gradeStage, gradeState, submitted } from './testing/grade-stages.ts';
import { type StageHarness, startStage } from './testing/index.ts';

describe('jobs', () => {
  let stage: StageHarness;

  beforeEach(async () => {
    Object.assign(gradeState, { run: async ({ payload }: { payload: string }) => payload, runs: [] });
    stage = await startStage(gradeStage, { partitions: 1 });
  });
  afterEach(() => stage.stop());

  const outcomes = async () => {
    const rows = await stage.query<{ group_id: string; outcome: string }>('SELECT * FROM graded ORDER BY 1');
    return rows.map(({ group_id, outcome }) => [group_id, outcome]);
  };

  it('are completed once, with their events', async () => {
    await stage.publish(topics.rolloutsSubmitted, submitted('a'), submitted('b'));
    await stage.untilQuiet();
    expect(await outcomes()).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
    expect(await stage.published(topics.rolloutsGraded)).toHaveLength(2);
  });

  it('that fail are tried again, and closed by fail after maxAttempts', async () => {
    gradeState.run = async ({ payload, attempt }) => {
      if (payload === 'flaky' && attempt < 3) throw new Error('once more');
      if (payload === 'hopeless') throw new Error('never');
      return `attempt ${attempt}`;
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('flaky'), submitted('hopeless'));
    await stage.untilQuiet();
    expect(await outcomes()).toEqual([
      ['flaky', 'attempt 3'],
      ['hopeless', 'failed: never'],
    ]);
    expect(gradeState.runs.filter((group) => group === 'hopeless')).toHaveLength(3);
  });

  it("are closed at once by a fault of the record's", async () => {
    gradeState.run = async () => {
      throw new RecordFault('no_code', 'no code in it');
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('a'));
    await stage.untilQuiet();
    expect(await outcomes()).toEqual([['a', 'failed: no code in it']]);
    expect(gradeState.runs).toEqual(['a']);
  });

  it('that are given up leave the record as it was, to be replayed', async () => {
    let hopeless = true;
    gradeState.run = async ({ payload }) => {
      if (hopeless) throw new Error('never');
      return payload;
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('a'));
    await stage.untilQuiet();
    const [published] = await stage.published(topics.rolloutsSubmitted);
    const laidAside = async () =>
      (await stage.published(deadLetters(topics.rolloutsSubmitted.name, 'execute'))).map(({ value }) => value);
    const [letter] = await laidAside();
    expect(letter).toMatchObject({
      topic: topics.rolloutsSubmitted.name,
      partition: 0,
      offset: 0n,
      key: Buffer.from(published?.key ?? ''),
      headers: published?.headers,
      service: 'execute',
      handler: 'execute/job/grade',
      errorCode: 'hopeless',
      errorMessage: 'never',
      attempts: 3,
      eventId: published?.id,
    });
    expect(letter?.value).toEqual(Buffer.from(toBinary(RolloutsSubmittedSchema, submitted('a'))));
    expect((await stage.service.activity()).deadLetters).toEqual({ [topics.rolloutsSubmitted.name]: 1 });
    hopeless = false;
    await stage.query('DELETE FROM graded');
    const order = create(ServiceOrderSchema, { order: { case: 'replay', value: letter ?? create(DeadLetterSchema) } });
    await stage.publish(ordersTopic('execute'), order);
    await stage.untilQuiet();
    expect(await outcomes()).toEqual([['a', 'a']]);
    expect(await laidAside()).toHaveLength(1);
  });

  it('wait for a dependency without a cap, and say so', async () => {
    let away = true;
    gradeState.run = async ({ payload }) => {
      if (away) throw new DependencyFault('the sandbox', 'it does not start');
      return payload;
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('a'));
    await expect.poll(() => gradeState.runs.length, { timeout: 10_000 }).toBeGreaterThan(5);
    expect(stage.service.readiness().reasons.join()).toContain('jobs grade wait for the sandbox: it does not start');
    away = false;
    await stage.untilQuiet();
    expect(await outcomes()).toEqual([['a', 'a']]);
    await expect.poll(() => stage.service.readiness().ready).toBe(true);
  });

  it('show each dependency for as long as one of them waits for it, whatever becomes of the others', async () => {
    const away = new Set(['endpoint a', 'endpoint b']);
    let hopeless = false;
    gradeState.run = async ({ payload }) => {
      if (payload === 'fine') return payload;
      if (hopeless) throw new RecordFault('refused', 'refused');
      if (away.has(payload)) throw new DependencyFault(payload, 'it is away');
      return payload;
    };
    const reasons = () => [...stage.service.readiness().reasons].sort();
    await stage.publish(topics.rolloutsSubmitted, submitted('endpoint a'), submitted('endpoint b'));
    const both = ['endpoint a', 'endpoint b'].map((name) => `jobs grade wait for ${name}: it is away`);
    await expect.poll(reasons, PATIENCE).toEqual(both);
    await stage.publish(topics.rolloutsSubmitted, submitted('fine'));
    await expect.poll(outcomes, PATIENCE).toEqual([['fine', 'fine']]);
    expect(reasons()).toEqual(both);
    away.delete('endpoint a');
    await expect.poll(reasons, PATIENCE).toEqual(both.slice(1));
    hopeless = true;
    await expect.poll(reasons, PATIENCE).toEqual([]);
  });

  it('keep their lease while they run for longer than it lasts', async () => {
    gradeState.run = async ({ payload }) => {
      await sleep(gradeJob.leaseMs * 3);
      return payload;
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('slow'));
    await stage.untilQuiet();
    expect(gradeState.runs).toEqual(['slow']);
  });

  it('whose lease went to another worker count once: the first is told, and what it did is dropped', async () => {
    const aborted: string[] = [];
    gradeState.run = async ({ payload, attempt }, signal) => {
      if (attempt > 1) return 'second';
      // As if this process had stood still: its lease ran out, and another took the job.
      await stage.query("UPDATE jobs SET available_at = now() - interval '1 s', lease_token = lease_token + 1000000");
      await sleep(2_000, signal);
      if (signal.aborted) aborted.push(payload);
      return 'first';
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('contested'));
    await stage.untilQuiet();
    await expect.poll(() => aborted).toEqual(['contested']);
    expect(await outcomes()).toEqual([['contested', 'second']]);
    expect(await stage.published(topics.rolloutsGraded)).toHaveLength(1);
  });

  it('of higher priority go first', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    gradeState.run = async ({ payload }) => {
      await gate;
      return payload;
    };
    await stage.publish(topics.rolloutsSubmitted, ...['a', 'b', 'c', 'd', 'e', 'f'].map(submitted));
    await expect.poll(() => gradeState.runs.length).toBe(4);
    await stage.publish(topics.rolloutsSubmitted, submitted('urgent'));
    await expect.poll(async () => (await stage.service.activity()).openJobs.grade).toBe(7);
    open();
    await stage.untilQuiet();
    expect(gradeState.runs[4]).toBe('urgent');
  });

  it('pause the consumption that feeds them when there are too many', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    gradeState.run = async ({ payload }) => {
      await gate;
      return payload;
    };
    const groups = Array.from({ length: 60 }, (_, index) => `group-${index}`);
    await stage.publish(topics.rolloutsSubmitted, ...groups.map(submitted));
    await expect.poll(async () => (await stage.service.activity()).openJobs.grade).toBeGreaterThanOrEqual(20);
    await sleep(500);
    const activity = await stage.service.activity();
    expect(activity.openJobs.grade).toBeLessThanOrEqual(30);
    expect(Object.values(activity.lag)[0]).toBeGreaterThanOrEqual(30);
    open();
    await stage.untilQuiet();
    expect(await outcomes()).toHaveLength(60);
  });

  it('pause it at the bound that their worker was configured with', async () => {
    const narrow = await startStage(gradeStage, { partitions: 1, config: { maxOpenJobs: '3' } });
    try {
      gradeState.run = (_, signal) => sleep(60_000, signal).then(() => Promise.reject(new Error('told to stop')));
      await narrow.publish(
        topics.rolloutsSubmitted,
        ...Array.from({ length: 30 }, (_, index) => submitted(`${index}`)),
      );
      await expect.poll(async () => (await narrow.service.activity()).openJobs.grade).toBe(10);
      await sleep(600);
      expect((await narrow.service.activity()).openJobs.grade).toBe(10);
      expect(await narrow.service.get(StageDatabase).transaction('spec', (tx) => tx.jobRoom(gradeJob))).toBe(0);
    } finally {
      await narrow.stop();
    }
  });

  it('too many of them hold up no order', async () => {
    gradeState.run = (_, signal) => sleep(60_000, signal).then(() => Promise.reject(new Error('told to stop')));
    const full = Array.from({ length: 20 }, (_, index) => submitted(`${index}`));
    await stage.publish(topics.rolloutsSubmitted, ...full);
    await expect.poll(async () => (await stage.service.activity()).openJobs.grade, PATIENCE).toBe(20);
    const letter = create(DeadLetterSchema, {
      topic: topics.rolloutsSubmitted.name,
      service: 'execute',
      eventId: 'laid aside',
      value: toBinary(RolloutsSubmittedSchema, submitted('laid aside')),
    });
    const moveOffsets = { topic: topics.rolloutsSubmitted.name, to: { case: 'end', value: true } as const };
    await stage.publish(
      ordersTopic('execute'),
      create(ServiceOrderSchema, { order: { case: 'replay', value: letter } }),
      create(ServiceOrderSchema, { commandId: 'move', order: { case: 'moveOffsets', value: moveOffsets } }),
    );
    const ends = async () => (await stage.published(topics.commandsCompleted)).map(({ value }) => value?.commandId);
    await expect.poll(ends, PATIENCE).toEqual(['move']);
    expect((await stage.service.activity()).openJobs.grade).toBe(21);
  });

  it('in hand are given back by a stop, and taken by the next start at once', async () => {
    gradeState.run = async ({ payload, attempt }, signal) => {
      if (attempt === 1) await sleep(60_000, signal);
      if (signal.aborted) throw new Error('told to stop');
      return payload;
    };
    await stage.publish(topics.rolloutsSubmitted, submitted('long'));
    await expect.poll(() => gradeState.runs).toEqual(['long']);
    await stage.service.stop();
    const rows = await stage.query('SELECT lease_token, faults FROM jobs');
    expect(rows).toEqual([{ lease_token: null, faults: 0 }]);
    await stage.restart();
    await stage.untilQuiet();
    expect(await outcomes()).toEqual([['long', 'long']]);
  });
});
