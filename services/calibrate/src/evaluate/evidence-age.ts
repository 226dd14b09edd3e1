import { Injectable } from '@nestjs/common';
import { type Gathered, StageDatabase, StageMetrics } from '@tidemark/stage-runtime';
import { SIDE_IS_KNOWN } from '../postgres/evaluations.ts';

/** Tells how long evidence waits for its evaluation. */
@Injectable()
export class EvidenceAge {
  constructor(
    metrics: StageMetrics,
    private readonly database: StageDatabase,
  ) {
    metrics.gauge(
      'tidemark_evidence_unevaluated_age_seconds',
      'Age of the oldest counted group of a target that an evaluation could read and none has seen; 0 when all are evaluated.',
      ['target'],
      () => this.gather(),
    );
  }

  private async gather(): Promise<Gathered[]> {
    const rows = await this.database.query<{ target: string; age: number }>(
      `SELECT t.target, coalesce(extract(epoch FROM clock_timestamp() - (
         SELECT min(u.noted_at) FROM unevaluated u WHERE u.target = t.target AND u.evidence_groups > 0
           AND ${SIDE_IS_KNOWN})), 0)::float8 AS age
       FROM target t`,
    );
    return rows.map(({ target, age }) => ({ labels: { target }, value: age }));
  }
}
