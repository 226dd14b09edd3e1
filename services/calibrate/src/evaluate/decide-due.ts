import { EvaluationTrigger } from '@tidemark/proto';

/** What waits for a target's next evaluation. */
export interface Waiting {
  /** Requests in the order in which they came. */
  readonly requests: readonly {
    readonly id: string;
    readonly trigger: EvaluationTrigger;
    readonly commandId: string;
  }[];
  /** Counted groups that posteriors read and no evaluation has seen. */
  readonly evidenceGroups: number;
  /** Age of the first of them, in ms by the database's clock; 0 without one. */
  readonly firstWaitedMs: number;
}

/** When groups alone make an evaluation point; 0 never. */
export interface DueSettings {
  readonly evaluateAfterGroups: number;
  readonly evaluateAfterSeconds: number;
}

/** An evaluation that is due now. */
export interface Due {
  readonly trigger: EvaluationTrigger;
  /** The command that it answers, empty when none. */
  readonly commandId: string;
  /** Requests that it settles. */
  readonly requestIds: readonly string[];
  /** `touched`: only problems with something new; `all`: age, prior or choice of buckets changed for every problem. */
  readonly scope: 'all' | 'touched';
}

/**
 * Whether a target is at an evaluation point: a command, a checkpoint, a calibration, enough groups, or enough time since the
 * first unevaluated group.
 *
 * One evaluation settles every waiting checkpoint and calibration, but one command: each command gets an evaluation, and
 * a number, of its own.
 */
export function decideDue(waiting: Waiting, settings: DueSettings): Due | undefined {
  const { requests } = waiting;
  const command = requests.find(({ commandId }) => commandId !== '');
  const others = requests.filter(({ commandId }) => commandId === '');
  if (command || others.length > 0)
    return {
      trigger: command ? EvaluationTrigger.COMMAND : weightiest(others.map(({ trigger }) => trigger)),
      commandId: command?.commandId ?? '',
      requestIds: [...others, ...(command ? [command] : [])].map(({ id }) => id),
      scope: 'all',
    };
  if (settings.evaluateAfterGroups > 0 && waiting.evidenceGroups >= settings.evaluateAfterGroups)
    return { trigger: EvaluationTrigger.GROUPS, commandId: '', requestIds: [], scope: 'touched' };
  if (
    settings.evaluateAfterSeconds > 0 &&
    waiting.evidenceGroups > 0 &&
    waiting.firstWaitedMs >= settings.evaluateAfterSeconds * 1000
  )
    return { trigger: EvaluationTrigger.TIME, commandId: '', requestIds: [], scope: 'touched' };
  return undefined;
}

function weightiest(triggers: readonly EvaluationTrigger[]): EvaluationTrigger {
  const order = [EvaluationTrigger.COMMAND, EvaluationTrigger.CHECKPOINT, EvaluationTrigger.CALIBRATION];
  return order.find((trigger) => triggers.includes(trigger)) ?? triggers[0] ?? EvaluationTrigger.COMMAND;
}
