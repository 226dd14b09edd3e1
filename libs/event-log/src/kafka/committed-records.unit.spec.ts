import type { RawRecord } from 'kafkajs/src/cluster/index.js';
import { expect, test } from 'vitest';
import { committedRecords } from './committed-records.ts';

const context = (producerId: string, inTransaction: boolean) => ({
  firstOffset: '0',
  lastOffsetDelta: 0,
  producerId,
  inTransaction,
});

const data = (offset: number, producerId: string, key = 'k'): RawRecord => ({
  offset: String(offset),
  timestamp: '0',
  key: Buffer.from(key),
  value: Buffer.from('v'),
  headers: {},
  isControlRecord: false,
  batchContext: context(producerId, producerId !== '-1'),
});

const mark = (offset: number, producerId: string, how: 'abort' | 'commit'): RawRecord => ({
  ...data(offset, producerId),
  key: Buffer.from([0, 0, 0, how === 'abort' ? 0 : 1]),
  isControlRecord: true,
});

const offsets = (messages: RawRecord[], abortedTransactions: { producerId: string; firstOffset: string }[] | null) =>
  committedRecords({ messages, abortedTransactions }).map((record) => Number(record.offset));

test('control records are never data', () => {
  expect(offsets([data(0, '1'), mark(1, '1', 'commit'), data(2, '-1'), mark(3, '1', 'abort')], null)).toEqual([0, 2]);
});

test('of an aborted transaction nothing is seen, of the next one of the same producer all', () => {
  const messages = [data(0, '1'), data(1, '1'), mark(2, '1', 'abort'), data(3, '1'), mark(4, '1', 'commit')];
  expect(offsets(messages, [{ producerId: '1', firstOffset: '0' }])).toEqual([3]);
});

test('aborted transactions may overlap, in any order of the list, and begin before what was fetched', () => {
  const messages = [
    data(10, '2'),
    data(11, '1'),
    data(12, '3'),
    mark(13, '1', 'abort'),
    data(14, '2'),
    mark(15, '2', 'abort'),
    mark(16, '3', 'commit'),
  ];
  const aborted = [
    { producerId: '1', firstOffset: '9' },
    { producerId: '2', firstOffset: '4' },
  ];
  expect(offsets(messages, aborted)).toEqual([12]);
  expect(offsets(messages, aborted.toReversed())).toEqual([12]);
});

test('a record whose key looks like an abort mark is data', () => {
  const messages = [
    data(0, '1'),
    data(1, '1', '\0\0\0\0'),
    data(2, '1'),
    mark(3, '1', 'abort'),
    data(4, '-1', '\0\0\0\0'),
  ];
  expect(offsets(messages, [{ producerId: '1', firstOffset: '0' }])).toEqual([4]);
});
