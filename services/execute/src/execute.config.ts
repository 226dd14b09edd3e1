import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** Settings of execute; each is read from `TIDEMARK_EXECUTE_<NAME>`. */
export const executeConfig = z.object({
  workers: z.coerce
    .number()
    .int()
    .min(1)
    .max(256)
    .default(availableParallelism())
    .describe('Programs that run at once, 1 to 256. Default: one a core.'),
  python: z
    .string()
    .min(1)
    .default('python3')
    .describe('Interpreter that judges Python, a name on the path or a path. Default python3.'),
  bwrap: z.string().default('').describe('Path of bubblewrap. Default empty: where the system has it.'),
  firstUid: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(2_000_000_000)
    .default(64_000)
    .describe(
      'First of the host user ids that programs run under when the service is root, one a worker. Default 64000.',
    ),
  accounting: z
    .enum(['auto', 'cgroup', 'rlimits'])
    .default('auto')
    .describe(
      'How CPU time and memory are measured: auto takes control groups where they are writable, cgroup refuses to go without, rlimits does without. Default auto.',
    ),
  maxJudgingTests: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(200)
    .describe('Tests of a problem that judge, all of them up to this number, else the 15 longest. Default 200.'),
  environmentTries: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe(
      'Times that a group is taken up before a failure of the environment stands as its verdict, 1 to 100. Default 4.',
    ),
  maxOpenJobs: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(2_000)
    .describe('Open jobs of a kind at which consumption pauses. Default 2,000.'),
  maxParkedPerSubmitter: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(10_000)
    .describe('Groups of one submitter that may wait for their problem or target, 0 to 1,000,000. Default 10,000.'),
  parkedForMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(7 * 86_400_000)
    .default(86_400_000)
    .describe(
      'How long a group waits before it is dead-lettered, in ms, 1,000 to 604,800,000. Default 86,400,000, a day.',
    ),
});

export type ExecuteConfig = z.output<typeof executeConfig>;
