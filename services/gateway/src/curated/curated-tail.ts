import { Injectable } from '@nestjs/common';
import type { EventLog, TopicDescription } from '@tidemark/event-log';
import { InjectEventLog } from '@tidemark/stage-runtime';

/** How often ends of topics are looked at while somebody follows them, in ms. */
const LOOK_MS = 250;

/**
 * The ends of the topics that are followed: one look for all who wait, however many they are. Nobody waits: nobody looks.
 */
@Injectable()
export class CuratedTail {
  private readonly waiting = new Map<string, Set<(topic: TopicDescription | undefined) => void>>();
  private looking = false;

  constructor(@InjectEventLog() private readonly log: EventLog) {}

  /**
   * The topic as the next look finds it.
   *
   * @returns undefined when there is no such topic (yet), when the log does not answer, or when the signal aborts
   */
  next(topic: string, signal: AbortSignal): Promise<TopicDescription | undefined> {
    return new Promise((resolve) => {
      const told = (description: TopicDescription | undefined) => {
        signal.removeEventListener('abort', gone);
        waiters.delete(told);
        resolve(description);
      };
      const gone = () => told(undefined);
      const waiters = this.waiting.get(topic) ?? new Set();
      this.waiting.set(topic, waiters.add(told));
      signal.addEventListener('abort', gone, { once: true });
      if (signal.aborted) gone();
      else void this.look();
    });
  }

  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    while (this.waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
      for (const [topic, waiters] of this.waiting) if (waiters.size === 0) this.waiting.delete(topic);
      const topics = [...this.waiting.keys()];
      const found = await this.log.admin.describeAll(topics).catch(() => new Map<string, TopicDescription>());
      for (const topic of topics) for (const told of [...(this.waiting.get(topic) ?? [])]) told(found.get(topic));
    }
    this.looking = false;
  }
}
