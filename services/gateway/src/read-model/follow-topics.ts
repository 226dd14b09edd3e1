import { Injectable } from '@nestjs/common';
import { curatedTopic, type EventLog } from '@tidemark/event-log';
import {
  type ActivitySource,
  Every,
  InjectEventLog,
  ReportsActivity,
  type Sql,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import { CuratedTopics } from '../curated/curated-topics.ts';
import { DeadLetterTopics } from './dead-letter-topics.ts';
import { LogFollower } from './log-follower.ts';

const PERIOD_MS = 400;

/** Follows the working sets of all declared targets, and whatever dead-letter topics there are. */
@Injectable()
@ReportsActivity()
export class FollowTopics implements ActivitySource {
  constructor(
    private readonly follower: LogFollower,
    private readonly curated: CuratedTopics,
    private readonly letters: DeadLetterTopics,
    private readonly database: StageDatabase,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  @Every(PERIOD_MS, { name: 'follow-curated' })
  async followCurated(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    for (const topic of await curatedTopics(tx)) await this.follower.turn(tx, topic, this.curated);
  }

  @Every(PERIOD_MS, { name: 'follow-dead-letters' })
  async followDeadLetters(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    for (const topic of await this.deadLetterTopics()) await this.follower.turn(tx, topic, this.letters);
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    const lagOf = async (topics: readonly string[]) => {
      let lag = 0;
      for (const topic of topics) lag += await this.follower.lag(this.database, topic);
      return lag;
    };
    return {
      curated_records: await lagOf(await curatedTopics(this.database)),
      dead_letters: await lagOf(await this.deadLetterTopics()),
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
