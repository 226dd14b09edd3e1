import type { Message } from '@bufbuild/protobuf';
import type { EventBatch, RemovedKey, StageEvent } from '../api.ts';
import type { Incoming } from './incoming.ts';

/** What a handler is given of a batch. */
export class IncomingBatch implements EventBatch<Message> {
  readonly events: readonly StageEvent<Message>[];
  readonly removed: readonly RemovedKey[];

  constructor(records: readonly Incoming[]) {
    this.events = records.flatMap((record) => (record.kind === 'event' ? [record.event] : []));
    this.removed = records.flatMap((record) => (record.kind === 'removed' ? [record.removed] : []));
  }

  [Symbol.iterator](): Iterator<StageEvent<Message>> {
    return this.events[Symbol.iterator]();
  }
}
