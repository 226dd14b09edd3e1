import { Injectable } from '@nestjs/common';
import { InjectLogger, StageDatabase } from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import type { Caller } from './caller.ts';

/** A command, before it is carried out. */
export interface AuditedCommand {
  readonly caller: Pick<Caller, 'name' | 'tokenId'>;
  /** The route or method: `PUT /v1/targets/:slug`. */
  readonly action: string;
  /** What it is done to, by the names in the path. Nothing out of a body: that may hold a secret. */
  readonly subject: Readonly<Record<string, string>>;
}

export interface AuditEntry {
  readonly entry: number;
  readonly who: string;
  readonly token_id: string | null;
  readonly action: string;
  readonly subject: Readonly<Record<string, string>>;
  /** Status of the answer; null while it is carried out, or when the gateway stopped in the middle of it. */
  readonly result: string | null;
  readonly requested_at: string;
  readonly completed_at: string | null;
}

/**
 * Who ordered what, and how it ended. The entry is committed before the command is carried out: where none can be
 * written, none is carried out.
 */
@Injectable()
export class AuditLog {
  constructor(
    private readonly database: StageDatabase,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** @returns writes how it ended */
  async begin({ caller, action, subject }: AuditedCommand): Promise<(result: string) => void> {
    const [row] = await this.database.query<{ entry: bigint }>(
      'INSERT INTO audit (who, token_id, action, subject) VALUES ($1, $2, $3, $4) RETURNING entry',
      [caller.name, caller.tokenId ?? null, action, JSON.stringify(subject).replaceAll('\\u0000', '')],
    );
    return (result) => {
      this.database
        .query('UPDATE audit SET result = $2, completed_at = clock_timestamp() WHERE entry = $1', [row?.entry, result])
        .catch((error: unknown) => {
          this.logger.error(
            { entry: Number(row?.entry), result, error: String(error) },
            'result of a command not kept',
          );
        });
    };
  }

  /** Newest first. @param before an entry's number: those before it */
  async list(limit: number, before: number | undefined): Promise<AuditEntry[]> {
    const rows = await this.database.query<
      Omit<AuditEntry, 'requested_at' | 'completed_at'> & { requested_at: Date; completed_at: Date | null }
    >(
      `SELECT entry::float8 AS entry, who, token_id, action, subject, result, requested_at, completed_at FROM audit
       WHERE $2::bigint IS NULL OR audit.entry < $2 ORDER BY audit.entry DESC LIMIT $1`,
      [limit, before ?? null],
    );
    return rows.map((row) => ({
      ...row,
      requested_at: row.requested_at.toISOString(),
      completed_at: row.completed_at?.toISOString() ?? null,
    }));
  }
}
