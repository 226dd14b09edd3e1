import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { curatedTopic, type EventLog, type TopicDescription } from '@tidemark/event-log';
import { type CuratedProblem, CuratedProblemSchema } from '@tidemark/proto';
import { InjectEventLog, RETENTION_MS } from '@tidemark/stage-runtime';
import { CuratedTail } from './curated-tail.ts';
import { decideBeginning, positionText } from './position.ts';

/** A sign of life comes this often while nothing changes, in ms. */
const ALIVE_MS = 15_000;

/** What a follower is told; `position` is where to go on once it is handled. */
export type CuratedChange = { readonly position: string } & (
  | { readonly kind: 'restart'; readonly reason: string }
  | { readonly kind: 'problem'; readonly problem: CuratedProblem }
  | { readonly kind: 'left'; readonly problemId: string }
  | { readonly kind: 'alive'; readonly caughtUp: boolean }
);

/** The working set of a target as a stream: what it is, and every change of it. Read from the log, at the reader's pace. */
@Injectable()
export class CuratedFeed {
  constructor(
    @InjectEventLog() private readonly log: EventLog,
    private readonly tail: CuratedTail,
  ) {}

  /** Ends when the signal aborts. @param from a position, or empty to begin */
  async *follow(target: string, from: string, signal: AbortSignal): AsyncGenerator<CuratedChange> {
    const topic = curatedTopic(target).name;
    let described = await this.log.admin.describe(topic);
    while (!signal.aborted) {
      if (described === undefined) {
        // Select makes the topic when it hears of the target.
        yield { kind: 'alive', position: from, caughtUp: false };
        described = await this.appears(topic, signal);
        continue;
      }
      for await (const change of this.followTopic(described, from, signal)) {
        from = change.position;
        yield change;
      }
      described = await this.log.admin.describe(topic);
    }
  }

  /** Ends when the topic is another one, or the signal aborts. */
  private async *followTopic(
    first: TopicDescription,
    from: string,
    signal: AbortSignal,
  ): AsyncGenerator<CuratedChange> {
    const { name: topic, incarnation } = first;
    const beginning = decideBeginning(from, first, Date.now(), RETENTION_MS);
    const next = [...beginning.next];
    const position = () => positionText({ incarnation, next, givenMs: Date.now() });
    if (beginning.kind === 'restarted') yield { kind: 'restart', position: position(), reason: beginning.reason };
    let toldMs = Date.now();
    let caughtUp = false;
    for (let seen: TopicDescription | undefined = first; !signal.aborted; seen = await this.tail.next(topic, signal)) {
      if (seen !== undefined && seen.incarnation !== incarnation) return;
      for (const [partition, { logStart, logEnd }] of (seen?.partitions ?? []).entries()) {
        const at = next[partition] ?? 0n;
        if (at < logStart) return;
        if (at >= logEnd) continue;
        for await (const { key, value, offset } of this.log.read({
          topic,
          partition,
          from: at,
          until: logEnd,
          signal,
        })) {
          next[partition] = offset + 1n;
          if (key === null) continue;
          const problemId = new TextDecoder().decode(key);
          if (value === null) yield { kind: 'left', position: position(), problemId };
          else yield { kind: 'problem', position: position(), problem: fromBinary(CuratedProblemSchema, value) };
          toldMs = Date.now();
        }
        if (signal.aborted) return;
        next[partition] = logEnd;
      }
      if (seen !== undefined && (!caughtUp || Date.now() - toldMs > ALIVE_MS)) {
        caughtUp = true;
        toldMs = Date.now();
        yield { kind: 'alive', position: position(), caughtUp };
      }
    }
  }

  private async appears(topic: string, signal: AbortSignal): Promise<TopicDescription | undefined> {
    const untilMs = Date.now() + ALIVE_MS;
    for (;;) {
      const found = await this.tail.next(topic, signal);
      if (found !== undefined || signal.aborted || Date.now() > untilMs) return found;
    }
  }
}
