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
    .meta({ unit: 'programs' })
    .describe('Programs that run at once.'),
  python: z
    .string()
    .min(1)
    .default('python3')
    .describe('Interpreter that judges Python, a name on the path or a path.'),
  cc: z
    .string()
    .default('')
    .describe('Compiler that judges C, a name on the path or a path below /usr; empty: gcc, else clang.'),
  cxx: z
    .string()
    .default('')
    .describe('Compiler that judges C++, a name on the path or a path below /usr; empty: g++, else clang++.'),
  buildFolder: z
    .string()
    .default('')
    .describe(
      "Folder of compiled programs and precompiled headers, this user's alone to write; empty: one of the user's below the temporary folder.",
    ),
  maxBuildBytes: z.coerce
    .number()
    .int()
    .min(0)
    .max(1e13)
    .default(1_073_741_824)
    .meta({ unit: 'bytes' })
    .describe(
      'Most bytes of compiled programs kept, and as many of precompiled headers; the longest unused leave first.',
    ),
  bwrap: z.string().default('').describe('Path of bubblewrap; empty: where the system has it.'),
  firstUid: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(2_000_000_000)
    .default(64_000)
    .describe('First of the host user ids that programs run under when the service is root, one a worker.'),
  accounting: z
    .enum(['auto', 'cgroup', 'rlimits'])
    .default('auto')
    .describe(
      'How CPU time and memory are measured: auto takes control groups where they are writable, cgroup refuses to go without, rlimits does without.',
    ),
  interpreters: z
    .enum(['warm', 'cold'])
    .default('warm')
    .describe(
      'How a test gets its interpreter: warm copies one that waits in the sandbox, where control groups allow it; cold starts one each time. Verdicts are the same.',
    ),
  maxJudgingTests: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(200)
    .meta({ unit: 'tests' })
    .describe('Tests of a problem that judge, all of them up to this number, else the 15 longest.'),
  maxSuspicions: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(4)
    .meta({ unit: 'times' })
    .describe(
      'Occasions on which a program breaks a sandbox that meanwhile judges a known-good program right, before it is left out as a sandbox failure.',
    ),
  suspicionGapMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(20_000)
    .meta({ unit: 'ms' })
    .describe('Least time between two such occasions.'),
  maxOpenJobs: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(2_000)
    .meta({ unit: 'jobs' })
    .describe('Open jobs of a kind at which consumption pauses.'),
  maxWaitingForLanguage: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .default(100_000)
    .meta({ unit: 'groups' })
    .describe('Groups that may be laid by until a replica has their language; the next ones stay jobs.'),
  maxParkedPerSubmitter: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(10_000)
    .meta({ unit: 'groups' })
    .describe(
      'Groups of one submitter that may wait for their problem or target; all whom nobody vouches for count as one.',
    ),
  parkedForMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(7 * 86_400_000)
    .default(86_400_000)
    .meta({ unit: 'ms' })
    .describe('How long a group waits before it is dead-lettered.'),
});

export type ExecuteConfig = z.output<typeof executeConfig>;
