import { BlobError } from '@tidemark/blob-store';
import { EventLogError } from '@tidemark/event-log';
import { type Cause, DependencyFault, LeaseLostError, RecordFault } from './api.ts';

/** What to do about something thrown: lay the record aside, or wait for a dependency. */
export type Fault =
  /** `event` names the record where it is known; `code` is `unexpected` for what nobody foresaw. */
  | { readonly kind: 'record'; readonly code: string; readonly message: string; readonly event: Cause | undefined }
  | { readonly kind: 'dependency'; readonly dependency: string; readonly message: string };

/** Errors of the operating system that say nothing about the record at hand. */
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/**
 * SQLSTATE classes that a record's content can cause: cardinality violation, data exception, integrity constraint, a
 * limit (a key too long for an index), raised by a function. Every other class (connection 08, transaction state 25,
 * rollback and deadlock 40, a schema that does not fit 42, resources 53, object state 55, intervention 57, system 58 …)
 * is the database's or the deployment's: waiting helps, laying records aside does not.
 */
const RECORD_SQLSTATE_CLASSES = new Set(['21', '22', '23', '54', 'P0']);

/** What `pg` and TypeORM say without a code when a connection is gone: every later statement on it, too. */
const LOST_CONNECTION =
  /Connection terminated|is not queryable|timeout exceeded when trying to connect|Cannot use a pool after|Driver not Connected|[Qq]uery runner already released|Transaction is not started yet/;

/** What a retry is put down to in metrics: the dependency at fault, else `work`, the work itself. */
export const causeOfRetry = (fault: Fault): string => (fault.kind === 'dependency' ? fault.dependency : 'work');

/** Sorts an error, looking through its chain of causes. */
export function classifyFault(error: unknown): Fault {
  for (const link of chain(error)) {
    const fault = classifyLink(link);
    if (fault !== undefined) return fault;
  }
  return { kind: 'record', code: 'unexpected', message: messageOf(error), event: undefined };
}

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function classifyLink(error: Error & { code?: unknown }): Fault | undefined {
  if (error instanceof RecordFault) {
    return { kind: 'record', code: error.code, message: error.message, event: error.event };
  }
  if (error instanceof DependencyFault) return dependency(error.dependency, error);
  // Another replica may hold the lease by now: the batch is decided anew.
  if (error instanceof LeaseLostError) return dependency('lease', error);
  if (error instanceof EventLogError && error.retriable) return dependency('event log', error);
  // Blobs are durable before an event names them: a missing one is a folder that is not the right one.
  if (error instanceof BlobError) return dependency('blob store', error);
  const code = typeof error.code === 'string' ? error.code : '';
  if (SYSTEM_CODES.has(code)) return dependency(code, error);
  if (LOST_CONNECTION.test(error.message)) return dependency('database', error);
  if (isSqlState(code) && 'severity' in error && !RECORD_SQLSTATE_CLASSES.has(code.slice(0, 2))) {
    return { kind: 'dependency', dependency: 'database', message: `${error.message} (SQLSTATE ${code})` };
  }
  return undefined;
}

function dependency(name: string, error: Error): Fault {
  return { kind: 'dependency', dependency: name, message: error.message };
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code);

function* chain(error: unknown): Generator<Error> {
  let link = error;
  for (let depth = 0; depth < 8 && link instanceof Error; depth++) {
    yield link;
    if (link instanceof AggregateError && link.errors[0] instanceof Error) yield link.errors[0];
    link = 'driverError' in link ? link.driverError : link.cause;
  }
}
