import type { RawPartition, RawRecord } from 'kafkajs/src/cluster/index.js';

/**
 * The records of a fetch that are committed data: without control records, and without those of aborted transactions.
 * The broker lists aborted transactions in no promised order, and several may be open at one offset.
 */
export function committedRecords(fetched: Pick<RawPartition, 'messages' | 'abortedTransactions'>): RawRecord[] {
  const aborted = [...(fetched.abortedTransactions ?? [])]
    .map(({ producerId, firstOffset }) => ({ producerId, firstOffset: BigInt(firstOffset) }))
    .sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const aborting = new Set<string>();
  return fetched.messages.filter((record) => {
    const offset = BigInt(record.offset);
    for (let next = aborted[0]; next && next.firstOffset <= offset; next = aborted[0]) {
      aborting.add(next.producerId);
      aborted.shift();
    }
    const { producerId, inTransaction } = record.batchContext;
    if (record.isControlRecord) {
      if (isAbortMark(record)) aborting.delete(producerId);
      return false;
    }
    return !(inTransaction && aborting.has(producerId));
  });
}

/** Key of a control record: version (2 bytes), type (2 bytes): 0 aborts, 1 commits. */
const isAbortMark = (record: RawRecord): boolean => record.key?.readInt16BE(2) === 0;
