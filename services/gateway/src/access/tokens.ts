import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { StageDatabase } from '@tidemark/stage-runtime';
import { notFound } from '../http/http-problem.ts';
import type { Caller, Role } from './caller.ts';

/** How long a token that was found is believed without another look, in ms: a revocation elsewhere takes this long. */
const BELIEVED_MS = 2_000;
const REMEMBERED = 10_000;
/** How often the time of the last use is written down. */
const USE_MINUTES = 1;

export interface NewToken {
  readonly name: string;
  readonly roles: readonly Role[];
  /** Slugs, of a trainer's. */
  readonly targets: readonly string[];
  readonly trustedToGrade: boolean;
  /** Undefined for one without an end. */
  readonly expiresDays: number | undefined;
}

export interface TokenView {
  readonly token_id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly targets: readonly string[];
  readonly trusted_to_grade: boolean;
  /** `live`, `revoked` or `expired`. */
  readonly state: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_by: string | null;
  readonly revoked_at: string | null;
}

/** Access tokens. What is stored is a hash: 256 random bits need no slow one. */
@Injectable()
export class Tokens {
  private readonly believed = new Map<string, { readonly caller: Caller; readonly untilMs: number }>();

  constructor(private readonly database: StageDatabase) {}

  /** @returns the token with its secret, which is shown here and never again */
  async create(token: NewToken, createdBy: string): Promise<TokenView & { readonly token: string }> {
    const id = randomBytes(6).toString('hex');
    const secret = `tdm_${id}_${randomBytes(32).toString('base64url')}`;
    await this.database.query(
      `INSERT INTO token (token_id, secret_sha256, name, roles, targets, trusted_to_grade, created_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 day')`,
      [
        id,
        sha256(secret),
        token.name,
        token.roles,
        token.targets,
        token.trustedToGrade,
        createdBy,
        token.expiresDays ?? null,
      ],
    );
    return { ...(await this.view(id)), token: secret };
  }

  /** Newest first, those that ended too. */
  async list(): Promise<TokenView[]> {
    const rows = await this.database.query<TokenRow>(`SELECT ${COLUMNS} FROM token ORDER BY created_at DESC, token_id`);
    return rows.map(viewOf);
  }

  /** From now on nobody is let in by it. Done again it changes nothing. @throws HttpProblem 404 */
  async revoke(id: string, revokedBy: string): Promise<TokenView> {
    await this.database.query(
      `UPDATE token SET revoked_at = clock_timestamp(), revoked_by = $2 WHERE token_id = $1 AND revoked_at IS NULL`,
      [id, revokedBy],
    );
    for (const [secret, { caller }] of this.believed) if (caller.tokenId === id) this.believed.delete(secret);
    return await this.view(id);
  }

  /** Who bears a token; undefined when it is none, or ended. */
  async bearerOf(secret: string, nowMs: number): Promise<Caller | undefined> {
    if (!/^tdm_[0-9a-f]{12}_[\w-]{43}$/.test(secret)) return undefined;
    const key = sha256(secret).toString('base64');
    const known = this.believed.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.caller;
    this.believed.delete(key);
    const [row] = await this.database.query<TokenRow>(
      `SELECT ${COLUMNS} FROM token WHERE secret_sha256 = $1
         AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
      [sha256(secret)],
    );
    if (row === undefined) return undefined;
    await this.database.query(
      `UPDATE token SET last_used_at = clock_timestamp() WHERE token_id = $1
         AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - $2 * interval '1 minute')`,
      [row.token_id, USE_MINUTES],
    );
    const caller = callerOfRow(row);
    const [oldest] = this.believed.keys();
    if (this.believed.size >= REMEMBERED && oldest !== undefined) this.believed.delete(oldest);
    this.believed.set(key, { caller, untilMs: nowMs + BELIEVED_MS });
    return caller;
  }

  private async view(id: string): Promise<TokenView> {
    const [row] = await this.database.query<TokenRow>(`SELECT ${COLUMNS} FROM token WHERE token_id = $1`, [id]);
    if (row === undefined) throw notFound('token', id, 'GET /v1/tokens lists them.');
    return viewOf(row);
  }
}

const COLUMNS = `token_id, name, roles, targets, trusted_to_grade, created_by, created_at, expires_at, last_used_at,
  revoked_by, revoked_at, expires_at <= clock_timestamp() AS expired`;

interface TokenRow {
  readonly token_id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly targets: readonly string[];
  readonly trusted_to_grade: boolean;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_by: string | null;
  readonly revoked_at: Date | null;
  readonly expired: boolean | null;
}

function viewOf({ expired, ...row }: TokenRow): TokenView {
  const time = (date: Date | null) => date?.toISOString() ?? null;
  return {
    ...row,
    state: row.revoked_at !== null ? 'revoked' : expired === true ? 'expired' : 'live',
    created_at: row.created_at.toISOString(),
    expires_at: time(row.expires_at),
    last_used_at: time(row.last_used_at),
    revoked_at: time(row.revoked_at),
  };
}

const callerOfRow = (row: TokenRow): Caller => ({
  name: row.name,
  tokenId: row.token_id,
  roles: new Set(row.roles),
  targets: new Set(row.targets),
  trustedToGrade: row.trusted_to_grade,
  mayReview: row.roles.includes('reviewer'),
  limitedAs: row.token_id,
});

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
