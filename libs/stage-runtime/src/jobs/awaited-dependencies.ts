import type { StageParts } from '../stage-parts.ts';

/** The dependencies that jobs of a kind wait for: each stands in readiness for as long as there is a job that waits for it. */
export class AwaitedDependencies {
  private readonly awaited = new Set<string>();

  constructor(
    private readonly parts: Pick<StageParts, 'board' | 'transactions'>,
    private readonly kind: string,
  ) {}

  /** A job was put back to wait. */
  add(dependency: string, message: string): void {
    this.awaited.add(dependency);
    this.parts.board.set(this.concernOf(dependency), `jobs ${this.kind} wait for ${dependency}: ${message}`);
  }

  /** Looks which of them are still waited for, here or in another replica. */
  async look(): Promise<void> {
    if (this.awaited.size === 0) return;
    const asked = [...this.awaited];
    const rows = await this.parts.transactions.query<{ waits_for: string }>(
      'SELECT DISTINCT waits_for FROM jobs WHERE kind = $1 AND waits_for = ANY ($2::text[])',
      [this.kind, asked],
    );
    const still = new Set(rows.map(({ waits_for }) => waits_for));
    for (const dependency of asked) {
      if (still.has(dependency)) continue;
      this.awaited.delete(dependency);
      this.parts.board.clear(this.concernOf(dependency));
    }
  }

  private concernOf(dependency: string): string {
    return `jobs ${this.kind} ${dependency}`;
  }
}
