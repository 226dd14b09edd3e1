import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readQuery } from '../http/read-body.ts';
import { AuditLog } from './audit-log.ts';

export const auditQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `next` of the page before. */
  cursor: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
});

/** Commands that were given. */
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const { limit, cursor } = readQuery(request, auditQuerySchema);
    const found = await this.audit.list(limit + 1, cursor);
    const entries = found.slice(0, limit);
    return { entries, next: found.length > limit ? (entries.at(-1)?.entry ?? null) : null };
  }
}
