import { topics } from '@tidemark/event-log';
import { Parking } from '@tidemark/stage-runtime';

/** What a group waits for, and what is known of it from its intake. */
export type GroupColumns = {
  readonly target: string;
  /** Undefined when any version will do. */
  readonly target_version: number | undefined;
  readonly checkpoint: string;
  readonly problem_id: string;
  readonly intake_hour: number;
  /** The sender's id of the event; undefined where it gave none. */
  readonly sender_id: string | undefined;
};

/** Groups that wait for their problem, target or checkpoint. */
export const parkedGroups = new Parking<GroupColumns>({
  topic: topics.rolloutsIntake.name,
  value: 'offer',
  columns: {
    target: 'text',
    target_version: 'int',
    checkpoint: 'text',
    problem_id: 'text',
    intake_hour: 'int',
    sender_id: 'text',
  },
  ready: `EXISTS (SELECT FROM records r WHERE r.problem_id = p.problem_id AND r.state IN ('accepted', 'withdrawn'))
    AND EXISTS (SELECT FROM checkpoints c JOIN targets t
      ON t.target = c.target AND t.version = coalesce(p.target_version, c.target_version)
      WHERE c.target = p.target AND c.checkpoint = p.checkpoint)`,
});
