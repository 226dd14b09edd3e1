import { z } from 'zod';

const row = z.record(z.string(), z.unknown());

/** `GET /v1/problems`; `next` is the cursor of the next page. */
export const problemsPageSchema = z.object({ problems: z.array(row), next: z.string().nullable() });

/** `GET /v1/dead-letters`. */
export const deadLettersPageSchema = z.object({ dead_letters: z.array(row), next: z.string().nullable() });

/** `GET /v1/benchmarks`. */
export const benchmarksSchema = z.object({ benchmarks: z.array(row) });

/** `GET /v1/targets`, as far as lists show it. */
export const targetsSchema = z.object({
  targets: z.array(
    z.object({
      target: z.string(),
      version: z.number(),
      checkpoint: z.string(),
      settings: z.object({
        group_size: z.number(),
        endpoint_url: z.string(),
        selection: z.object({ policy: z.string() }),
      }),
    }),
  ),
});

/** `GET /v1/topics`; offsets are texts, since they may be larger than a number holds. */
export const topicsSchema = z.object({
  topics: z.array(
    z.object({
      topic: z.string(),
      partitions: z.array(z.object({ log_start: z.string(), log_end: z.string() })),
    }),
  ),
});
