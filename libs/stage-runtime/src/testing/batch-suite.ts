import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wholeLetter } from '../consume/dead-letter.ts';
import { deadLetters } from '../ensure-topics.ts';
import { echoStage, echoState, raw } from './echo-stage.ts';
import { type StageHarness, type StageHarnessOptions, startStage } from './index.ts';
import { PATIENCE } from './patience.ts';

const letters = deadLetters(topics.problemsRaw.name, 'normalize');

/** What becomes of a batch's records, on any log. */
export const describeBatches = (log: string, options: () => StageHarnessOptions) =>
  describe(`a stage on ${log}`, () => {
    let stage: StageHarness;

    beforeEach(async () => {
      Object.assign(echoState, { dependencyAway: false, calls: 0, mended: false });
      stage = await startStage(echoStage, options());
    });
    afterEach(() => stage.stop());

    const timesHandled = async () => {
      const rows = await stage.query<{ problem_id: string; times: number }>('SELECT problem_id, times FROM echoed');
      return Object.fromEntries(rows.map(({ problem_id, times }) => [problem_id, times]));
    };

    it('handles each event once, and publishes what follows from it with revision, ids and trace', async () => {
      await stage.publish(topics.problemsRaw, raw('a'), raw('b'));
      await stage.untilQuiet();
      expect(await timesHandled()).toEqual({ a: 1, b: 1 });
      const published = await stage.published(topics.problemsNormalized);
      expect(published.map(({ key, value }) => [key, value?.revision]).sort()).toEqual([
        ['a', 1n],
        ['b', 1n],
      ]);
      for (const { id, headers } of published) {
        expect(id).toMatch(/^[0-9a-f]{32}$/);
        expect(String(headers.ce_type)).toBe('tidemark.problem.v1.ProblemNormalized');
        expect(String(headers.ce_source)).toBe('/tidemark/normalize');
        expect(String(headers.traceparent)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      }
    });

    it('raises the revision of a key with each event', async () => {
      await stage.publish(topics.problemsRaw, raw('a', 1));
      await stage.untilQuiet();
      await stage.publish(topics.problemsRaw, raw('a', 2));
      await stage.untilQuiet();
      const published = await stage.published(topics.problemsNormalized);
      expect(published.map(({ value }) => [value?.version, value?.revision])).toEqual([
        [1, 1n],
        [2, 2n],
      ]);
    });

    it('ignores an event whose revision it already handled, or a higher one', async () => {
      await stage.publish(topics.problemsRaw, raw('a', 7, 5n));
      await stage.untilQuiet();
      await stage.publish(topics.problemsRaw, raw('a', 3, 4n));
      await stage.publish(topics.problemsRaw, raw('a', 7, 5n));
      await stage.untilQuiet();
      expect(await timesHandled()).toEqual({ a: 1 });
      expect(await stage.query('SELECT version FROM echoed')).toEqual([{ version: 7 }]);
    });

    it('hands a tombstone on, and does not let an older event bring the key back', async () => {
      await stage.publish(topics.problemsRaw, raw('a', 1));
      await stage.untilQuiet();
      await stage.publishTombstone(topics.problemsRaw, 'a');
      await stage.publish(topics.problemsRaw, raw('a', 1, 1n));
      await stage.untilQuiet();
      expect(await timesHandled()).toEqual({});
      const published = await stage.published(topics.problemsNormalized);
      expect(published.map(({ value }) => value?.revision)).toEqual([1n, undefined]);
      expect(String(published[1]?.headers['tidemark-revision'])).toBe('2');
    });

    it.each(['poison', 'unforeseen'])(
      'lays a record at fault (%s) aside and handles the 99 around it once',
      async (fault) => {
        const problems = Array.from({ length: 100 }, (_, index) =>
          raw(index === 61 ? `${fault}-1` : `problem-${index}`),
        );
        await stage.publish(topics.problemsRaw, ...problems);
        const activity = await stage.untilQuiet();
        const handled = await timesHandled();
        expect(Object.keys(handled)).toHaveLength(99);
        expect(new Set(Object.values(handled))).toEqual(new Set([1]));
        expect(await stage.published(topics.problemsNormalized)).toHaveLength(99);
        expect(activity.deadLetters).toEqual({ [topics.problemsRaw.name]: 1 });
        const [letter, ...more] = await stage.published(letters);
        expect(more).toEqual([]);
        expect(letter?.value).toMatchObject({
          key: Buffer.from(`${fault}-1`),
          topic: topics.problemsRaw.name,
          service: 'normalize',
          errorCode: fault === 'poison' ? 'poison' : 'unexpected',
        });
        expect(letter?.value?.attempts).toBeGreaterThanOrEqual(1);
      },
    );

    it('does not mark a record that was laid aside as seen', async () => {
      await stage.publish(topics.problemsRaw, raw('poison-1', 1, 1n));
      await stage.untilQuiet();
      expect(await stage.query('SELECT * FROM seen_revisions')).toEqual([]);
    });

    it('lays bytes that are no message aside, with those bytes', async () => {
      const bytes = Buffer.from('no protobuf at all');
      await stage.publishBytes(topics.problemsRaw, 'a', bytes);
      await stage.publish(topics.problemsRaw, raw('b'));
      await stage.untilQuiet();
      const [letter] = await stage.published(letters);
      expect(letter?.value?.errorCode).toBe('undecodable');
      expect(Buffer.from(letter?.value?.value ?? [])).toEqual(bytes);
      expect(Object.keys(letter?.value?.headers ?? {})).toContain('ce_id');
      expect(await timesHandled()).toEqual({ b: 1 });
    });

    it('lays the cause of an event that is too large aside, and goes on', async () => {
      await stage.publish(topics.problemsRaw, raw('a'), raw('large-1'), raw('b'));
      const activity = await stage.untilQuiet();
      expect(await timesHandled()).toEqual({ a: 1, b: 1 });
      expect(activity.deadLetters).toEqual({ [topics.problemsRaw.name]: 1 });
      const [letter] = await stage.published(letters);
      expect(letter?.value).toMatchObject({ errorCode: 'event_too_large', key: Buffer.from('large-1') });
      expect(letter?.value?.errorMessage).toMatch(/problems\.normalized\.v1 has \d+ bytes, the limit is 262144/);
    });

    it('keeps a record that is too large for a letter whole in the blob store, and holds nothing up', async () => {
      const values = [Buffer.alloc(850_000, 7), Buffer.alloc(495_000, 8)];
      const keys = ['huge', 'k'.repeat(400_000)];
      for (const [index, key] of keys.entries()) {
        await stage.publishBytes(topics.problemsRaw, key, values[index] ?? Buffer.of());
      }
      await stage.publish(topics.problemsRaw, raw('b'));
      await stage.untilQuiet();
      expect(await timesHandled()).toEqual({ b: 1 });
      const found = (await stage.published(letters)).flatMap(({ value }) => (value === undefined ? [] : [value]));
      expect(found.map(({ key, value, headers }) => [key, value, headers])).toEqual(
        Array(2).fill([undefined, undefined, {}]),
      );
      const whole = await Promise.all(found.map((letter) => wholeLetter(stage.service.get(BlobStore), letter)));
      const sorted = whole.sort((one, other) => (one.key?.length ?? 0) - (other.key?.length ?? 0));
      expect(sorted.map(({ key }) => Buffer.from(key ?? []).toString())).toEqual(keys);
      expect(sorted.map(({ value }, index) => Buffer.from(value ?? []).equals(values[index] ?? Buffer.of()))).toEqual([
        true,
        true,
      ]);
      expect(sorted.map(({ headers }) => 'ce_id' in headers)).toEqual([true, true]);
      expect(sorted.map(({ errorCode }) => errorCode)).toEqual(['undecodable', 'unexpected']);
    });

    it('waits for a dependency, says so, and loses nothing when it is back', async () => {
      echoState.dependencyAway = true;
      await stage.publish(topics.problemsRaw, raw('a'), raw('b'), raw('c'));
      await expect
        .poll(() => stage.service.readiness().reasons.join(), PATIENCE)
        .toContain('waits for the endpoint: it is away');
      await expect.poll(() => echoState.calls, PATIENCE).toBeGreaterThan(6);
      expect(await stage.published(letters)).toEqual([]);
      echoState.dependencyAway = false;
      const activity = await stage.untilQuiet();
      expect(await timesHandled()).toEqual({ a: 1, b: 1, c: 1 });
      expect(activity.deadLetters).toEqual({});
      await expect.poll(() => stage.service.readiness(), PATIENCE).toEqual({ ready: true, reasons: [] });
    });
  });
