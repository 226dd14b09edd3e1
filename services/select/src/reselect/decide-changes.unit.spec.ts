import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Bin, type CuratedProblem, CuratedProblemSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { decideChanges, type PublishedMember } from './decide-changes.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const record = (problemId: string, changes: Partial<CuratedProblem> = {}): CuratedProblem =>
  Object.assign(create(CuratedProblemSchema, { problemId, bin: Bin.MEDIUM, value: 0.5 }), changes);

const asPublished = (...records: CuratedProblem[]): Map<string, PublishedMember> =>
  new Map(
    decideChanges(new Map(), records, hex, 0).publish.map(({ record: { problemId, bin }, fingerprint }) => [
      problemId,
      { problemId, bin, fingerprint },
    ]),
  );

describe('the difference between the curated topic and the wanted set', () => {
  it('is nothing when a trainer would see no difference', () => {
    const published = asPublished(record('a', { evaluation: 1n }));
    expect(decideChanges(published, [record('a', { evaluation: 2n })], hex, 99)).toEqual({ publish: [], leave: [] });
  });

  it('names how a record changed: entered, moved, updated', () => {
    const published = asPublished(record('moves'), record('updates'), record('stays'));
    const wanted = [
      record('moves', { bin: Bin.EASY }),
      record('updates', { value: 0.6 }),
      record('stays'),
      record('new'),
    ];
    const { publish, leave } = decideChanges(published, wanted, hex, 1_700_000_000_000);
    expect(publish.map((one) => [one.record.problemId, one.record.change])).toEqual([
      ['moves', 'moved'],
      ['updates', 'updated'],
      ['new', 'entered'],
    ]);
    expect(publish[0]?.record.publishedAt).toEqual(timestampFromMs(1_700_000_000_000));
    expect(leave).toEqual([]);
  });

  it('lets leave what is no longer wanted, once', () => {
    const published = asPublished(record('gone'), record('stays'));
    expect(decideChanges(published, [record('stays')], hex, 0).leave).toEqual(['gone']);
    published.delete('gone');
    expect(decideChanges(published, [record('stays')], hex, 0).leave).toEqual([]);
  });
});
