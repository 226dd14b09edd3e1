import { z } from 'zod';
import type { Answer } from './fit-answer.ts';

const row = z.record(z.string(), z.unknown());

/** `GET /v1/submissions`: what became of lines. */
export const submissionsSchema = z.object({
  problems: z.array(row),
  refused: z.array(row),
  groups: z.array(row),
  dead_letters: z.array(row),
});

export type Submissions = Answer<typeof submissionsSchema>;
