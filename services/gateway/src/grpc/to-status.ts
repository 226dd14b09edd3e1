import { Metadata, status } from '@grpc/grpc-js';
import { detailsOf } from '../http/problem-json.filter.ts';
import type { HttpProblemDetails } from '../http/http-problem.ts';

/** An answer other than a message. */
export interface GrpcFault {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** By the HTTP status of the same problem. */
const codes: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.FAILED_PRECONDITION,
  413: status.INVALID_ARGUMENT,
  422: status.INVALID_ARGUMENT,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** The same problem as HTTP tells: what and where in the details, code, what to do and when in trailers. No stack trace. */
export function toStatus(thrown: unknown): GrpcFault {
  const details = detailsOf(thrown);
  const metadata = new Metadata();
  metadata.set('tidemark-code', details.code);
  metadata.set('tidemark-do', ascii(details.todo));
  if (details.retryAfterSeconds !== undefined) metadata.set('retry-after', String(details.retryAfterSeconds));
  return { code: codes[details.status] ?? status.INTERNAL, details: inWords(details), metadata };
}

function inWords({ what, faults = [] }: HttpProblemDetails): string {
  return [what, ...faults.slice(0, 10).map(({ where, why }) => `${where}: ${why}`)].join(' ');
}

/** Trailers hold printable ASCII alone. */
const ascii = (text: string): string => text.replaceAll('’', "'").replaceAll(/[^ -~]/g, '?');
