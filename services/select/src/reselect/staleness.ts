import { Injectable } from '@nestjs/common';
import { type Gathered, StageDatabase, StageMetrics } from '@tidemark/stage-runtime';

/** Tells how far the curated topics lie behind what is known. */
@Injectable()
export class Staleness {
  constructor(
    metrics: StageMetrics,
    private readonly database: StageDatabase,
  ) {
    metrics.gauge(
      'tidemark_curated_staleness_seconds',
      'Age of the oldest change that the curated topic of a target does not show yet; 0 when it shows all.',
      ['target'],
      () => this.gather(),
    );
  }

  private async gather(): Promise<Gathered[]> {
    const rows = await this.database.query<{ target: string; age: number }>(
      `SELECT t.target, coalesce(extract(epoch FROM clock_timestamp() - min(m.marked_at)), 0)::float8 AS age
       FROM targets t LEFT JOIN marks m ON m.target = t.target GROUP BY t.target`,
    );
    return rows.map(({ target, age }) => ({ labels: { target }, value: age }));
  }
}
