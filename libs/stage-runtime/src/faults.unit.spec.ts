import { LogUnavailableError } from '@tidemark/event-log';
import { QueryRunnerAlreadyReleasedError, TransactionNotStartedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { DependencyFault, RecordFault } from './api.ts';
import { classifyFault } from './faults.ts';

const postgresError = (code: string): Error => Object.assign(new Error('from the server'), { code, severity: 'ERROR' });
const systemError = (code: string): Error => Object.assign(new Error(code), { code });

describe('faults', () => {
  it.each(['22P02', '23505', '21000', '54000', 'P0001'])('SQLSTATE %s is the record’s', (code) => {
    expect(classifyFault(postgresError(code))).toMatchObject({ kind: 'record', code: 'unexpected' });
  });

  it.each(['08006', '25P02', '40001', '40P01', '42P01', '53100', '53300', '57P01', '57014', '58030'])(
    'SQLSTATE %s is the database’s or the deployment’s',
    (code) => {
      expect(classifyFault(postgresError(code))).toMatchObject({ kind: 'dependency', dependency: 'database' });
    },
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOSPC'])('%s is a dependency’s', (code) => {
    expect(classifyFault(systemError(code))).toMatchObject({ kind: 'dependency' });
  });

  it.each([
    ['a cause', new TypeError('fetch failed', { cause: systemError('ECONNREFUSED') })],
    ['a driver error', Object.assign(new Error('query failed'), { driverError: postgresError('57P01') })],
    ['the first of several', new AggregateError([systemError('ECONNREFUSED')], 'all failed')],
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    ['the log', new LogUnavailableError('away')],
    ['its own word', new DependencyFault('endpoint', 'away')],
  ])('a dependency’s is found by %s', (_, error) => {
    expect(classifyFault(error).kind).toBe('dependency');
  });

  it.each([
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
    'Connection terminated',
    'timeout exceeded when trying to connect',
    new QueryRunnerAlreadyReleasedError().message,
    new TransactionNotStartedError().message,
  ])('“%s” speaks of a connection that is gone', (message) => {
    expect(classifyFault(new Error(message))).toMatchObject({ kind: 'dependency', dependency: 'database' });
  });

  it('a record’s keeps its code and its event', () => {
    const event = { id: 'e1', traceparent: undefined };
    expect(classifyFault(new RecordFault('unknown_problem', 'no such problem', event))).toEqual({
      kind: 'record',
      code: 'unknown_problem',
      message: 'no such problem',
      event,
    });
  });

  it.each([new Error('a bug'), 'a string', undefined])('%s is taken for a record’s', (error) => {
    expect(classifyFault(error)).toMatchObject({ kind: 'record', code: 'unexpected' });
  });
});
