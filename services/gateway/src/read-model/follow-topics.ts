import { Injectable } from '@nestjs/common';
import { curatedTopic, type EventLog } from '@tidemark/event-log';
import {
  type ActivitySource,
  Everywhere,
  InjectEventLog,
  ReportsActivity,
  type Sql,
  StageDatabase,
} from '@tidemark/stage-runtime';
import { CuratedSets } from '../curated/curated-sets.ts';
import { DeadLetterTopics } from './dead-letter-topics.ts';
import { LogFollower } from './log-follower.ts';

const PERIOD_MS = 400;

/** Follows the working sets of all declared targets, and whatever dead-letter topics there are. */
@Injectable()
@ReportsActivity()
export class FollowTopics implements ActivitySource {
  constructor(
    private readonly follower: LogFollower,
    private readonly curated: CuratedSets,
    private readonly letters: DeadLetterTopics,
    private readonly database: StageDatabase,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  @Everywhere(PERIOD_MS, 'follow-curated')
  async followCurated(): Promise<void> {
    await this.follower.follow(await curatedTopics(this.database), this.curated);
  }

  @Everywhere(PERIOD_MS, 'follow-dead-letters')
  async followDeadLetters(): Promise<void> {
    await this.follower.follow(await this.deadLetterTopics(), this.letters);
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    return {
      curated_records: await this.follower.lag(await curatedTopics(this.database)),
      dead_letters: await this.follower.lag(await this.deadLetterTopics()),
    };
  }

  private async deadLetterTopics(): Promise<string[]> {
    return (await this.log.admin.list()).filter((name) => name.endsWith('.dlq.v1')).sort();
  }
}

async function curatedTopics(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ target: string }>('SELECT target FROM target ORDER BY target');
  return rows.map(({ target }) => curatedTopic(target).name);
}
