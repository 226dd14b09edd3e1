import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const schema = z.object({
  problems: z.array(
    z.object({
      file: z.string(),
      format: z.string(),
      namespace: z.string(),
      originKind: z.enum(['real', 'synthetic', 'unknown']),
      licence: z.string(),
    }),
  ),
  benchmarks: z.array(z.object({ file: z.string(), name: z.string() })),
  targets: z.array(
    z.object({
      target: z.string(),
      /** The body of `PUT /v1/targets/<target>`. */
      settings: z.record(z.string(), z.unknown()),
      checkpoints: z.array(z.object({ checkpoint: z.string(), ordinal: z.number() })),
    }),
  ),
  rollouts: z.array(z.object({ file: z.string(), target: z.string() })),
});

/** What `npm start` publishes: a folder whose `sample.json` says which file is what. */
export interface Sample {
  readonly folder: string;
  readonly content: z.output<typeof schema>;
}

export function readSample(folder: string): Sample {
  const text = readFileSync(join(folder, 'sample.json'), 'utf8');
  return { folder, content: schema.parse(JSON.parse(text)) };
}

/** The lines of a file of the sample that hold something. */
export function linesOf({ folder }: Sample, file: string): readonly string[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** The lines of a rollouts file that belong to one checkpoint. */
export function linesOfCheckpoint(sample: Sample, file: string, checkpoint: string): string {
  return linesOf(sample, file)
    .filter((line) => (JSON.parse(line) as { checkpoint?: unknown }).checkpoint === checkpoint)
    .map((line) => `${line}\n`)
    .join('');
}
