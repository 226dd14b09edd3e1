import { setTimeout as sleep } from 'node:timers/promises';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { type EventLog, ordersTopic, type ServiceName, serviceNames } from '@tidemark/event-log';
import { CommandOutcome, ServiceOrderSchema } from '@tidemark/proto';
import { causeOf, DependencyFault, InjectEventLog, RecordFault, StageDatabase } from '@tidemark/stage-runtime';

const LOOK_MS = 100;

/** What the services answered: results by service. */
export type Answers = ReadonlyMap<ServiceName, Readonly<Record<string, string>>>;

interface Order {
  /** Id of the command that the orders belong to; with `step` it names them, so that repeating is harmless. */
  readonly commandId: string;
  readonly step: string;
  readonly kind: string;
  readonly subject: string;
  readonly order: NonNullable<MessageInitShape<typeof ServiceOrderSchema>['order']>;
  readonly services?: readonly ServiceName[];
  /** How long a service may take. */
  readonly patienceMs: number;
}

/** Orders the runtimes of several services to do something, and waits for all of them. */
@Injectable()
export class OrderAll {
  constructor(
    private readonly database: StageDatabase,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  /**
   * @throws RecordFault `service_absent`, `service_failed`
   * @throws DependencyFault while the caller is to stop
   */
  async order(given: Order, signal: AbortSignal): Promise<Answers> {
    const services = given.services ?? serviceNames;
    const there = await this.log.admin.describeAll(services.map((service) => ordersTopic(service).name));
    const never = services.filter((service) => !there.has(ordersTopic(service).name));
    // An order to a service that has no topic for it would hold up all that is published here.
    if (never.length > 0)
      throw new RecordFault('service_absent', `${never.join(', ')} never started with this release`);
    await this.publish(given, services);
    return await this.untilAnswered(given, services, signal);
  }

  private async publish(given: Order, services: readonly ServiceName[]): Promise<void> {
    await this.database.transaction(`order-${given.kind}`, async (tx) => {
      for (const service of services) {
        const commandId = idOf(given, service);
        const fresh = await tx.query(
          `INSERT INTO command (command_id, kind, service, target, requested_by, requested_at)
           VALUES ($1, $2, $3, $4, $5, now()) ON CONFLICT (command_id) DO NOTHING RETURNING 1`,
          [commandId, given.kind, service, given.subject, given.commandId],
        );
        if (fresh.length === 0) continue;
        const message = create(ServiceOrderSchema, { commandId, requestedBy: 'gateway', order: given.order });
        tx.publish(causeOf(commandId), ordersTopic(service), message);
      }
    });
  }

  private async untilAnswered(given: Order, services: readonly ServiceName[], signal: AbortSignal): Promise<Answers> {
    const ids = new Map(services.map((service) => [idOf(given, service), service]));
    const until = Date.now() + given.patienceMs;
    for (;;) {
      const rows = await this.database.query<{
        command_id: string;
        outcome: CommandOutcome;
        message: string;
        results: Record<string, string>;
      }>('SELECT command_id, outcome, message, results FROM command WHERE command_id = ANY ($1::text[])', [
        [...ids.keys()],
      ]);
      const named = rows.flatMap((row) => {
        const service = ids.get(row.command_id);
        return service === undefined ? [] : [{ ...row, service }];
      });
      const failed = named.find(
        ({ outcome }) => outcome === CommandOutcome.FAILED || outcome === CommandOutcome.REFUSED,
      );
      if (failed) throw new RecordFault('service_failed', `${failed.service}: ${failed.message}`);
      const done = named.filter(({ outcome }) => outcome === CommandOutcome.DONE);
      if (done.length === services.length) return new Map(done.map(({ service, results }) => [service, results]));
      const absent = services.filter((service) => !done.some((each) => each.service === service)).join(', ');
      if (Date.now() > until) {
        throw new RecordFault('service_absent', `no answer within ${given.patienceMs / 1_000} s from ${absent}`);
      }
      if (signal.aborted) throw new DependencyFault('stop', 'the service stops');
      await sleep(LOOK_MS);
    }
  }
}

const idOf = ({ commandId, step }: Order, service: ServiceName): string => `${commandId}/${step}/${service}`;
