import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { Injectable } from '@nestjs/common';
import { ordersTopic, type ServiceName, topics } from '@tidemark/event-log';
import { hashOfFields } from '@tidemark/identity';
import { CommandOutcome, CommandRequestedSchema, ServiceOrderSchema } from '@tidemark/proto';
import { causeOf, type Sql, StageDatabase } from '@tidemark/stage-runtime';
import { type Caller, submitterSeenBy } from '../access/caller.ts';
import { notFound } from '../http/http-problem.ts';

/** What a service is asked to do. */
export interface CommandOrder {
  readonly service: 'calibrate';
  readonly target: string;
  readonly command: NonNullable<MessageInitShape<typeof CommandRequestedSchema>['command']>;
}

export interface CommandView {
  readonly command_id: string;
  readonly kind: string;
  readonly service: string;
  readonly target: string;
  /** `waiting` until the service says how it ended. */
  readonly outcome: string;
  readonly message: string;
  readonly results: Readonly<Record<string, string>>;
  readonly requested_at: string;
  readonly completed_at: string | null;
}

interface CommandRow extends Omit<CommandView, 'outcome' | 'requested_at' | 'completed_at'> {
  readonly outcome: CommandOutcome;
  readonly requested_at: Date;
  readonly completed_at: Date | null;
}

/** Commands go out on a topic; the service named answers on another. */
@Injectable()
export class Commands {
  constructor(private readonly database: StageDatabase) {}

  /** @param key the caller's Idempotency-Key: the same key is the same command */
  async request(
    caller: Caller,
    { service, target, command }: CommandOrder,
    key: string | undefined,
  ): Promise<CommandView> {
    const requestedBy = caller.name;
    const commandId = key === undefined ? randomUUID() : hashOfFields('command', requestedBy, key).slice(0, 32);
    await this.database.transaction('request-command', async (tx) => {
      if (!(await this.insert(tx, requestedBy, commandId, command.case ?? '', service, target))) return;
      const message = create(CommandRequestedSchema, {
        commandId,
        service,
        requestedBy,
        command,
        requestedAt: timestampNow(),
      });
      tx.publish(causeOf(commandId), topics.commandsRequested, message);
    });
    return await this.find(caller, commandId);
  }

  /** What the runtime of a service is asked to do, with an answer to wait for. */
  async order(
    caller: Caller,
    service: ServiceName,
    kind: string,
    subject: string,
    order: NonNullable<MessageInitShape<typeof ServiceOrderSchema>['order']>,
  ): Promise<CommandView> {
    const commandId = randomUUID();
    const requestedBy = caller.name;
    await this.database.transaction('order-command', async (tx) => {
      await this.insert(tx, requestedBy, commandId, kind, service, subject);
      const message = create(ServiceOrderSchema, { commandId, requestedBy, order });
      tx.publish(causeOf(commandId), ordersTopic(service), message);
    });
    return await this.find(caller, commandId);
  }

  private async insert(
    tx: Sql,
    requestedBy: string,
    commandId: string,
    kind: string,
    service: string,
    target: string,
  ): Promise<boolean> {
    const fresh = await tx.query(
      `INSERT INTO command (command_id, kind, service, target, requested_by, requested_at)
       VALUES ($1, $2, $3, $4, $5, now()) ON CONFLICT (command_id) DO NOTHING RETURNING command_id`,
      [commandId, kind, service, target, requestedBy],
    );
    return fresh.length > 0;
  }

  /** Operators and reviewers find every command, others their own. @throws HttpProblem 404 */
  async find(caller: Caller, commandId: string): Promise<CommandView> {
    const [row] = await this.database.query<CommandRow>(
      `SELECT command_id, kind, service, target, outcome, message, results, requested_at, completed_at
       FROM command WHERE command_id = $1 AND ($2::text IS NULL OR requested_by = $2)`,
      [commandId, submitterSeenBy(caller) ?? null],
    );
    if (row === undefined) throw notFound('command', commandId, 'Use the command_id of the answer that requested it.');
    return {
      ...row,
      outcome: outcomeNames[row.outcome] ?? `unknown_${row.outcome}`,
      requested_at: row.requested_at.toISOString(),
      completed_at: row.completed_at?.toISOString() ?? null,
    };
  }
}

const outcomeNames: Readonly<Record<number, string>> = {
  [CommandOutcome.UNSPECIFIED]: 'waiting',
  [CommandOutcome.DONE]: 'done',
  [CommandOutcome.REFUSED]: 'refused',
  [CommandOutcome.FAILED]: 'failed',
};
