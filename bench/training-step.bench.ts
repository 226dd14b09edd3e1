import { setTimeout as sleep } from 'node:timers/promises';
import { topics } from '@tidemark/event-log';
import { startStage } from '@tidemark/stage-runtime/testing';
import { calibrateService } from '../services/calibrate/src/index.ts';
import { countGroups, type ReadyGroup } from '../services/calibrate/src/on-rollouts-graded/count-groups.ts';
import { decideCounting } from '../services/calibrate/src/on-rollouts-graded/decide-counting.ts';
import { startDatabase, type TestDatabase } from '../services/calibrate/src/testing/database.ts';
import { declared, graded } from '../services/calibrate/src/testing/events.ts';
import { type Bench, round, spreadOf } from './bench.ts';

const ROUNDS = 5;
const GROUPS = 1_024;
const ATTEMPTS = 16;
/** As many as the runtime gives to a handler at once. */
const BATCH = 500;

/** What a trainer's step costs: groups of as many problems, whose verdicts become counts in as many buckets. */
export const bench: Bench = {
  asks:
    `How long does calibrate take for a training step of ${GROUPS} graded groups of ${ATTEMPTS}, from before they are ` +
    'appended to the embedded log until all are counted, and how much faster are batches than a group a transaction?',
  async measure() {
    const { seconds, appending } = await throughService();
    const database = await startDatabase();
    try {
      const [bulk, single]: [number[], number[]] = [[], []];
      // Taking turns, so that a busy neighbour slows both. Each step's checkpoint has buckets of its own.
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        bulk.push(await timed(() => inBatches(database, stepOf(`bulk-${turn}`), BATCH)));
        single.push(await timed(() => inBatches(database, stepOf(`single-${turn}`), 1)));
      }
      return {
        secondsThroughTheService: spreadOf(seconds),
        ofWhichAppending: spreadOf(appending),
        ratio: spreadOf(single.map((each, turn) => each / (bulk[turn] ?? Number.NaN))),
        secondsInBatches: spreadOf(bulk),
        secondsGroupByGroup: spreadOf(single),
        groups: round(GROUPS),
        attempts: round(GROUPS * ATTEMPTS),
        server: 'PostgreSQL with fsync off, as the tests run it, loopback',
      };
    } finally {
      await database.stop();
    }
  },
};

/** Verdicts of a step; every problem has its own group, and half of its attempts pass. */
const eventsOf = (step: string) =>
  Array.from({ length: GROUPS }, (_, index) =>
    graded(`${step}-${index}`, 'pf'.repeat(ATTEMPTS / 2), {
      checkpoint: step,
      problemId: index.toString(16).padStart(32, '0'),
    }),
  );

const stepOf = (step: string): ReadyGroup[] =>
  eventsOf(step).flatMap((event) => {
    const counting = decideCounting(event);
    return counting.kind === 'count' ? [counting] : [];
  });

async function inBatches(database: TestDatabase, groups: readonly ReadyGroup[], size: number): Promise<void> {
  for (let from = 0; from < groups.length; from += size) {
    await database.transaction((tx) => countGroups(tx, groups.slice(from, from + size)));
  }
}

async function throughService() {
  const stage = await startStage(calibrateService, { partitions: 4 });
  try {
    await stage.publish(topics.targetsDeclared, declared({ groupSize: ATTEMPTS }));
    await stage.untilQuiet(60_000);
    const counted = async (step: string) => {
      const [row] = await stage.query<{ n: number }>(
        'SELECT coalesce(sum(groups), 0)::int AS n FROM bucket WHERE checkpoint = $1',
        [step],
      );
      return row?.n ?? 0;
    };
    const [seconds, appending]: [number[], number[]] = [[], []];
    // The first one warms up.
    for (let turn = 0; turn <= ROUNDS; turn += 1) {
      const step = `step-${turn}`;
      const events = eventsOf(step);
      const appended = await timed(() => stage.publish(topics.rolloutsGraded, ...events));
      const counting = await timed(async () => {
        while ((await counted(step)) < GROUPS) await sleep(5);
      });
      if (turn > 0) {
        seconds.push(appended + counting);
        appending.push(appended);
      }
      await stage.untilQuiet(60_000);
    }
    return { seconds, appending };
  } finally {
    await stage.stop();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
