import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import type { EventLog } from '@tidemark/event-log';
import { type DeadLetter, DeadLetterSchema } from '@tidemark/proto';
import { InjectEventLog } from '@tidemark/stage-runtime';
import { type LetterPlace, letterId } from './letter-id.ts';

/** Reads letters where they lie: the read model holds no bytes of them. */
@Injectable()
export class LetterReader {
  constructor(@InjectEventLog() private readonly log: EventLog) {}

  /** @returns letters by id; those that are no longer in the log are absent */
  async read(places: readonly LetterPlace[]): Promise<ReadonlyMap<string, DeadLetter>> {
    const found = new Map<string, DeadLetter>();
    const byPartition = Map.groupBy(places, ({ topic, partition }) => `${topic}:${partition}`);
    for (const some of byPartition.values()) await this.readPartition(some, found);
    return found;
  }

  private async readPartition(places: readonly LetterPlace[], found: Map<string, DeadLetter>): Promise<void> {
    const [{ topic, partition } = { topic: '', partition: 0 }] = places;
    const bounds = (await this.log.admin.describe(topic))?.partitions[partition];
    if (bounds === undefined) return;
    const offsets = places.map(({ offset }) => offset);
    const wanted = new Set(offsets);
    const from = offsets.reduce((least, offset) => (offset < least ? offset : least));
    const last = offsets.reduce((most, offset) => (offset > most ? offset : most));
    const until = last < bounds.logEnd ? last + 1n : bounds.logEnd;
    const start = from < bounds.logStart ? bounds.logStart : from;
    if (start >= until) return;
    const stop = new AbortController();
    try {
      for await (const { offset, value } of this.log.read({
        topic,
        partition,
        from: start,
        until,
        signal: stop.signal,
      })) {
        if (value === null || !wanted.has(offset)) continue;
        found.set(letterId({ topic, partition, offset }), fromBinary(DeadLetterSchema, value));
      }
    } finally {
      stop.abort();
    }
  }
}
