import { z } from 'zod';
import type { Answer } from './fit-answer.ts';

const count = z.number();
const counts = z.record(z.string(), count);

/** How many problems are in a visible state for one reason. */
const stateCountSchema = z.object({ state: z.string(), stage: z.string(), reason: z.string(), problems: count });

/** Where the ready problems of the training side stand for one target. */
const targetCountsSchema = z.object({
  target: z.string(),
  version: count,
  checkpoint: z.string(),
  checkpoint_ordinal: count,
  /** By bin: `curated` of the working set (`predicted` of them are placed by the prior), `measured` of all ready ones. */
  bins: z.record(z.string(), z.object({ curated: count, predicted: count, measured: count })),
  panel: count,
  curated: count,
  set_aside: count,
  reserve: count,
  groups: count,
  attempts: count,
  passes: count,
  environment_failures: count,
  evaluations: count,
  moves: count,
});

const serviceStateSchema = z.discriminatedUnion('reachable', [
  z.object({
    service: z.string(),
    reachable: z.literal(true),
    quiet: z.boolean(),
    lag: count,
    outbox: count,
    jobs: count,
    pending: counts,
    dead_letters: count,
    /** Why it can't work now; empty when it can. */
    not_ready: z.array(z.string()).optional(),
  }),
  z.object({ service: z.string(), reachable: z.literal(false), error: z.string() }),
]);

/** `GET /v1/status`. */
export const statusSchema = z.object({
  quiet: z.boolean(),
  problems: count,
  funnel: z.array(stateCountSchema),
  intake: z.object({ problems_refused: count, rollouts_refused: count }),
  targets: z.array(targetCountsSchema),
  rates_per_second: counts,
  /** What groups of attempts wait for, that may never come; absent from an older gateway. */
  waiting: z.array(z.object({ kind: z.string(), name: z.string(), count })).optional(),
  services: z.array(serviceStateSchema),
});

export type Status = Answer<typeof statusSchema>;
export type StateCount = Answer<typeof stateCountSchema>;
export type TargetCounts = Answer<typeof targetCountsSchema>;
export type ServiceState = Answer<typeof serviceStateSchema>;
