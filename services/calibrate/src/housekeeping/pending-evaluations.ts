import { type ActivitySource, InjectConfig, ReportsActivity, StageDatabase } from '@tidemark/stage-runtime';
import type { CalibrateConfig } from '../calibrate.config.ts';
import { SIDE_IS_KNOWN } from '../postgres/evaluations.ts';

/** What the service still has to do though no queue shows it. */
@ReportsActivity()
export class PendingEvaluations implements ActivitySource {
  constructor(
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: CalibrateConfig,
  ) {}

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    const [row] = await this.database.query<{ requests: number; groups: number; measurements: number }>(
      `SELECT (SELECT count(*) FROM evaluation_request r
               WHERE r.command_id <> '' OR EXISTS (SELECT FROM target t WHERE t.target = r.target))::int AS requests,
              (SELECT coalesce(sum(u.evidence_groups), 0) FROM unevaluated u JOIN target t USING (target)
               WHERE ${SIDE_IS_KNOWN})::int AS groups,
              (SELECT count(*) FROM measurement)::int AS measurements`,
    );
    return {
      evaluations: row?.requests ?? 0,
      // Without the timer, groups wait for a command or for enough others: that is not work on its way.
      unevaluatedGroups: this.config.evaluateAfterSeconds > 0 ? (row?.groups ?? 0) : 0,
      measurements: row?.measurements ?? 0,
    };
  }
}
