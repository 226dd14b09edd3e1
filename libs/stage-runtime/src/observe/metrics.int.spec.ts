import { topics } from '@tidemark/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DependencyFault, RecordFault } from '../api.ts';
import { echoStage, echoState, raw } from '../testing/echo-stage.ts';
import { gradeStage, gradeState, submitted } from '../testing/grade-stages.ts';
import { type StageHarness, startStage } from '../testing/index.ts';
import { PATIENCE } from '../testing/patience.ts';
import { Scrape } from '../testing/scrape.ts';

const RAW = topics.problemsRaw.name;

describe('metrics of a running service', () => {
  let stage: StageHarness;
  afterEach(() => stage.stop());

  const scrape = () => Scrape.of(stage.service.address);
  const value = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
    (await scrape()).value(name, labels);

  describe('that consumes and publishes', () => {
    beforeEach(async () => {
      Object.assign(echoState, { dependencyAway: false, calls: 0 });
      stage = await startStage(echoStage, { http: true, partitions: 1 });
    });

    it('are named and typed as Prometheus wants them, each with the service', async () => {
      const answer = await fetch(`${stage.service.address}/metrics`);
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      const names = (await scrape()).names();
      expect(names.length).toBeGreaterThan(15);
      for (const name of names) expect(name).toMatch(/^tidemark_[a-z_]+$/);
      expect(await value('tidemark_ready', { service: 'normalize' })).toBe(1);
    });

    it('count what is consumed and published, and time the batches', async () => {
      await stage.publish(topics.problemsRaw, raw('a'), raw('b'), raw('c'));
      await stage.untilQuiet();
      const seen = await scrape();
      expect(seen.value('tidemark_consumer_records_total', { topic: RAW })).toBe(3);
      expect(seen.value('tidemark_outbox_published_total', { topic: topics.problemsNormalized.name })).toBe(3);
      expect(seen.value('tidemark_consumer_batch_duration_seconds_count', { topic: RAW })).toBeGreaterThanOrEqual(1);
      expect(seen.value('tidemark_consumer_lag_records', { topic: RAW })).toBe(0);
      expect(seen.value('tidemark_consumer_oldest_unprocessed_age_seconds', { topic: RAW })).toBe(0);
      expect(seen.value('tidemark_retries_total')).toBeUndefined();
    });

    it('show lag and age that grow while a dependency is away, with its retries and the readiness, and end with it', async () => {
      echoState.dependencyAway = true;
      await stage.publish(topics.problemsRaw, raw('a'), raw('b'));
      const cause = { part: 'consumer', name: RAW, cause: 'the endpoint' };
      await expect.poll(() => value('tidemark_retries_total', cause), PATIENCE).toBeGreaterThan(2);
      const early = await scrape();
      expect(early.value('tidemark_consumer_lag_records', { topic: RAW })).toBeGreaterThanOrEqual(2);
      expect(early.value('tidemark_ready')).toBe(0);
      const age = early.value('tidemark_consumer_oldest_unprocessed_age_seconds', { topic: RAW }) ?? 0;
      expect(age).toBeGreaterThan(0);
      await expect
        .poll(() => value('tidemark_consumer_oldest_unprocessed_age_seconds', { topic: RAW }), PATIENCE)
        .toBeGreaterThan(age);
      echoState.dependencyAway = false;
      await stage.untilQuiet();
      const late = await scrape();
      expect(late.value('tidemark_consumer_lag_records', { topic: RAW })).toBe(0);
      expect(late.value('tidemark_consumer_oldest_unprocessed_age_seconds', { topic: RAW })).toBe(0);
      await expect.poll(() => value('tidemark_ready'), PATIENCE).toBe(1);
    });

    it('count dead letters by the topic that they came from and the code', async () => {
      await stage.publish(topics.problemsRaw, raw('poison-1'), raw('a'), raw('unforeseen-1'));
      await stage.untilQuiet();
      const seen = await scrape();
      expect(seen.value('tidemark_dead_letters_total', { topic: RAW, code: 'poison' })).toBe(1);
      expect(seen.value('tidemark_dead_letters_total', { topic: RAW, code: 'unexpected' })).toBe(1);
    });

    it('show the outbox and its age while nobody relays it, and the connections of the pool', async () => {
      await stage.publish(topics.problemsRaw, raw('a'));
      await stage.untilQuiet();
      // As if another replica held the relays and slept.
      await stage.query(
        "UPDATE leases SET owner = 'another', epoch = epoch + 1, expires_at = now() + interval '1 hour'",
      );
      await stage.query(
        `INSERT INTO leases (name, owner, address, epoch, expires_at)
         SELECT 'relay/' || s, 'another', '', 1, now() + interval '1 hour' FROM generate_series(0, 3) AS s
         ON CONFLICT DO NOTHING`,
      );
      await new Promise((resolve) => setTimeout(resolve, 1_600));
      await stage.publish(topics.problemsRaw, raw('b'), raw('c'));
      await expect.poll(() => value('tidemark_outbox_events'), PATIENCE).toBe(2);
      await expect.poll(() => value('tidemark_outbox_oldest_age_seconds'), PATIENCE).toBeGreaterThan(0.2);
      await stage.query("UPDATE leases SET expires_at = now() - interval '1 s'");
      await stage.untilQuiet();
      const seen = await scrape();
      expect(seen.value('tidemark_outbox_events')).toBe(0);
      expect(seen.value('tidemark_outbox_oldest_age_seconds')).toBe(0);
      expect(seen.value('tidemark_database_connections_limit')).toBe(6);
      const connections = ['idle', 'busy'].map((state) => seen.value('tidemark_database_connections', { state }) ?? 0);
      expect(connections[0] ?? 0).toBeGreaterThan(0);
      expect((connections[0] ?? 0) + (connections[1] ?? 0)).toBeLessThanOrEqual(6);
    });
  });

  describe('that works on jobs', () => {
    beforeEach(async () => {
      Object.assign(gradeState, { run: async ({ payload }: { payload: string }) => payload, runs: [] });
      stage = await startStage(gradeStage, { http: true, partitions: 1 });
    });

    it('show open jobs and their age, and how jobs end', async () => {
      let away = true;
      gradeState.run = async ({ payload }) => {
        if (payload === 'hopeless') throw new RecordFault('no_code', 'no code in it');
        if (away) throw new DependencyFault('the sandbox', 'it does not start');
        return payload;
      };
      expect(await value('tidemark_jobs_open', { kind: 'grade' })).toBe(0);
      await stage.publish(topics.rolloutsSubmitted, submitted('a'), submitted('b'), submitted('hopeless'));
      await expect
        .poll(() => value('tidemark_jobs_ended_total', { kind: 'grade', outcome: 'retried' }), PATIENCE)
        .toBeGreaterThan(2);
      await expect.poll(() => value('tidemark_jobs_open', { kind: 'grade' }), PATIENCE).toBe(2);
      const early = await scrape();
      expect(early.value('tidemark_jobs_oldest_age_seconds', { kind: 'grade' })).toBeGreaterThan(0);
      expect(early.value('tidemark_jobs_ended_total', { kind: 'grade', outcome: 'failed' })).toBe(1);
      away = false;
      await stage.untilQuiet();
      const late = await scrape();
      expect(late.value('tidemark_jobs_open', { kind: 'grade' })).toBe(0);
      expect(late.value('tidemark_jobs_oldest_age_seconds', { kind: 'grade' })).toBe(0);
      expect(late.value('tidemark_jobs_ended_total', { kind: 'grade', outcome: 'completed' })).toBe(2);
      expect(late.value('tidemark_job_duration_seconds_count', { kind: 'grade' })).toBeGreaterThanOrEqual(5);
    });
  });
});
