import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { CommandOutcome } from '@tidemark/proto';
import { causeOf, Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import { completeCommand } from '../complete-command.ts';
import { checkpointInForce } from '../evaluate/checkpoint-ages.ts';
import { advanceMeasurement, endMeasurement, type Measurement, takeMeasurement } from '../postgres/commands.ts';
import { loadTarget } from '../postgres/evaluations.ts';
import { readyProblems } from '../postgres/problems.ts';
import { decideRequests } from './decide-requests.ts';

/** Problems of one transaction: a measurement of a large corpus goes out in pieces. */
const PROBLEMS_A_TURN = 500;

/** The command `measure`: asks the target's endpoint for attempts at every ready problem. */
@Injectable()
export class Measure {
  @Every(250, { name: 'measure' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const measurement = await takeMeasurement(tx);
    if (measurement === undefined) return;
    const cause = causeOf(`measurement/${measurement.commandId}/${measurement.afterProblem}`);
    if (!measurement.hasEndpoint) {
      completeCommand(tx, cause, measurement.commandId, {
        outcome: CommandOutcome.REFUSED,
        message: `Target ${measurement.target} names no endpoint to ask for attempts.`,
      });
      await endMeasurement(tx, measurement.commandId);
      return;
    }
    const problems = await readyProblems(tx, measurement.afterProblem, PROBLEMS_A_TURN);
    const checkpoint = checkpointInForce((await loadTarget(tx, measurement.target))?.line ?? []).checkpoint;
    const requests = problems.flatMap((problem) => decideRequests({ ...measurement, ...problem, checkpoint }));
    for (const request of requests) tx.publish(cause, topics.rolloutsRequested, request);
    await this.advance(
      tx,
      {
        ...measurement,
        afterProblem: problems.at(-1)?.problemId ?? measurement.afterProblem,
        problems: measurement.problems + problems.length,
        requests: measurement.requests + requests.length,
      },
      problems.length < PROBLEMS_A_TURN,
    );
  }

  private async advance(tx: StageTransaction, measurement: Measurement, finished: boolean): Promise<void> {
    if (!finished) return advanceMeasurement(tx, measurement);
    const { commandId, target, problems, requests, attempts } = measurement;
    completeCommand(tx, causeOf(`measurement/${commandId}/end`), commandId, {
      outcome: CommandOutcome.DONE,
      message: `Asked for ${attempts} attempts at each of ${problems} problems for ${target}.`,
      results: { problems: String(problems), requests: String(requests), attempts: String(attempts) },
    });
    await endMeasurement(tx, commandId);
  }
}
