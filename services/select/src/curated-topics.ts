import { Injectable } from '@nestjs/common';
import { curatedTopic, type EventLog } from '@tidemark/event-log';
import { InjectConfig, InjectEventLog, topicSpec } from '@tidemark/stage-runtime';
import type { SelectConfig } from './select.config.ts';

/** Creates `curated.<target>.v1` for targets that lack it. */
@Injectable()
export class CuratedTopics {
  private readonly known = new Set<string>();

  constructor(
    @InjectEventLog() private readonly log: EventLog,
    @InjectConfig() private readonly config: SelectConfig,
  ) {}

  async ensure(targets: readonly string[]): Promise<void> {
    const missing = targets.filter((target) => !this.known.has(target));
    if (missing.length === 0) return;
    await this.log.admin.ensureTopics(
      missing.map((target) => topicSpec(curatedTopic(target), this.config.curatedPartitions)),
    );
    for (const target of missing) this.known.add(target);
  }
}
