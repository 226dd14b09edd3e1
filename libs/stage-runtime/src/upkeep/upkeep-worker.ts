import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { topics } from '@tidemark/event-log';
import { CommandCompletedSchema, CommandOutcome, type ServiceOrder, ServiceOrderSchema } from '@tidemark/proto';
import type { Cause, JobKind, JobWorker, LeasedJob, StageTransaction } from '../api.ts';
import { UPKEEP_JOBS } from './erase-problem.ts';
import { type Forgetting, forgetProblem } from './forget-problem.ts';
import { markedByTables, storeHashes } from './mark-blobs.ts';

/** What became of an order. */
interface UpkeepResult {
  readonly message: string;
  readonly results: Readonly<Record<string, string>>;
}

/** Name of the jobs; a table of jobs that is searched leaves them out. */
const UPKEEP = `${UPKEEP_JOBS}orders`;

export const upkeepJobs: JobKind<ServiceOrder> = {
  name: UPKEEP,
  encode: (order) => toBinary(ServiceOrderSchema, order),
  decode: (bytes) => fromBinary(ServiceOrderSchema, bytes),
  leaseMs: 30_000,
};

/** Whether an order becomes a job. */
export const isUpkeep = ({ order }: ServiceOrder): boolean => order.case === 'markBlobs' || order.case === 'forget';

/** Does what the gateway orders for the upkeep of tables and blobs, outside the transaction that took the order. */
export function upkeepWorker(forgetting: Forgetting): JobWorker<ServiceOrder, UpkeepResult> {
  const { parts } = forgetting;
  const answer = (
    tx: StageTransaction,
    cause: Cause,
    order: ServiceOrder,
    outcome: CommandOutcome,
    end: UpkeepResult,
  ) =>
    tx.publish(
      cause,
      topics.commandsCompleted,
      create(CommandCompletedSchema, {
        ...end,
        commandId: order.commandId,
        service: parts.identity.service,
        outcome,
        completedAt: timestampNow(),
      }),
    );
  return {
    kind: upkeepJobs,
    concurrency: 1,
    run: ({ payload }) => run(forgetting, payload),
    async complete(tx: StageTransaction, job: LeasedJob<ServiceOrder>, result: UpkeepResult) {
      answer(tx, job, job.payload, CommandOutcome.DONE, result);
      await Promise.resolve();
    },
    async fail(tx, job, error) {
      answer(tx, job, job.payload, CommandOutcome.FAILED, { message: error.message.slice(0, 500), results: {} });
      await Promise.resolve();
    },
  };
}

async function run(forgetting: Forgetting, { commandId, order }: ServiceOrder): Promise<UpkeepResult> {
  const { parts } = forgetting;
  if (order.case === 'forget') return { message: '', results: await forgetProblem(forgetting, commandId, order.value) };
  if (order.case !== 'markBlobs') throw new Error(`no upkeep: ${order.case}`);
  const marked = await markedByTables(parts);
  return { message: '', results: { marks: await storeHashes(parts.blobs, marked), marked: String(marked.size) } };
}
