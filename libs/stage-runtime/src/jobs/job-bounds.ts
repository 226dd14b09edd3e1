import type { JobWorker, Sql } from '../api.ts';
import { countJobs } from './job-table.ts';

const DEFAULT_BOUND = 2_000;

/** How many jobs of each kind may be open, as their workers say. */
export class JobBounds {
  private readonly bounds = new Map<string, number>();

  add({ kind, bound }: Pick<JobWorker<unknown, unknown>, 'kind' | 'bound'>): void {
    this.bounds.set(kind.name, bound ?? DEFAULT_BOUND);
  }

  /** @throws Error for a kind that nobody works on: its jobs would lie for ever */
  of(kind: string): number {
    const bound = this.bounds.get(kind);
    if (bound === undefined) throw new Error(`no worker of this service works on jobs of kind ${kind}`);
    return bound;
  }
}

/** How many more jobs of a kind may be open. */
export async function roomOf(sql: Sql, bounds: JobBounds, kind: string): Promise<number> {
  const bound = bounds.of(kind);
  return Math.max(0, bound - (await countJobs(sql, kind, bound)));
}
