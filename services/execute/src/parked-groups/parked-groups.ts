import {
  type ActivitySource,
  type Cause,
  Every,
  InjectConfig,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import { gradingJob, gradingJobs } from '../grade-rollouts/grading-jobs.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { countReady, type ParkedGroup, parkGroups, takeExpired, takeReady } from '../postgres/parked.ts';
import { layAside } from './lay-aside.ts';

/** Groups taken up in one transaction. */
const CHUNK = 200;

/** Has groups graded when what they waited for is there, and lays them aside when it never came. */
@ReportsActivity()
export class ParkedGroups implements ActivitySource {
  constructor(
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: ExecuteConfig,
  ) {}

  @Every(1_000)
  async takeUp(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const ready = await takeReady(tx, Math.min(CHUNK, await tx.jobRoom(gradingJobs)));
    const identified = ready.flatMap((parked) =>
      parked.group.group ? [{ parked, identity: parked.group.group }] : [],
    );
    if (identified.length === 0) return;
    const contexts = await loadGroupContexts(
      tx,
      identified.map(({ identity }) => identity),
    );
    const again: ParkedGroup[] = [];
    for (const [index, { parked }] of identified.entries()) {
      const version = contexts[index]?.judgedVersion ?? 0;
      if (version === 0) again.push(parked);
      else await tx.enqueue(gradingJobs, [gradingJob(causeOf(parked), parked.group, version)]);
    }
    await parkGroups(tx, again);
  }

  @Every(10_000)
  async giveUp(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    for (const parked of await takeExpired(tx, this.config.parkedForMs, CHUNK)) {
      const { problemId, version, target } = parked.group.group ?? { problemId: '', version: 0, target: '' };
      const message = `version ${version} of problem ${problemId} was never verified, or target ${target} never declared`;
      layAside(tx, causeOf(parked), parked.group, {
        handler: 'ParkedGroups',
        code: 'unknown_problem',
        message,
        attempts: 1,
        partition: parked.partition,
        offset: parked.offset,
        appendedMs: parked.appendedMs,
      });
    }
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    return { parkedGroupsReady: await countReady(this.database) };
  }
}

function causeOf({ eventId, traceparent }: ParkedGroup): Cause {
  return { id: eventId, traceparent };
}
