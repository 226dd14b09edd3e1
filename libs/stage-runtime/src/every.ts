import { SetMetadata } from '@nestjs/common';
import type { Cause, StageTransaction } from './api.ts';

export const EVERY = Symbol('every');

/** One turn of a timer; as a cause it is `<timer>/<key>/<tick>`. */
export interface TimerTick extends Cause {
  /** Rises by one each turn, over restarts and replicas. */
  readonly tick: bigint;
}

export interface EveryOptions {
  /** Stays the same over renamings: event ids derive from it. Default `<class>.<method>`. */
  readonly name?: string;
  /**
   * True: every replica runs it on its own (for work on the leases that it holds); the key of the cause is then the
   * replica. Default false: one replica at a time, and the turn's number is kept in the database.
   */
  readonly onEveryReplica?: boolean;
}

export interface EveryMetadata {
  readonly periodMs: number;
  readonly options: EveryOptions & {
    /** The turn opens its own transactions. */
    readonly outside?: boolean;
  };
}

/**
 * Runs a method of a provider or controller at a period, in milliseconds, counted from the end of the turn before. The
 * turn is one transaction; when it throws, it rolls back and is tried again with backoff.
 */
export function Every(periodMs: number, options: EveryOptions = {}) {
  // A type parameter, so that a method may leave out what it doesn't need.
  return <Turn extends (tick: TimerTick, tx: StageTransaction) => Promise<void>>(
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Turn>,
  ): void => {
    const metadata: EveryMetadata = { periodMs, options };
    SetMetadata(EVERY, metadata)(target, method, descriptor);
  };
}

/**
 * Runs a method at a period on every replica, outside any transaction: for work on the leases that a replica holds, which
 * opens a transaction a lease. A turn that held one beside them would keep a connection and a snapshot for as long.
 *
 * @param name stays the same over renamings: event ids derive from it
 */
export function Everywhere(periodMs: number, name: string) {
  return <Turn extends (tick: TimerTick) => Promise<void>>(
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Turn>,
  ): void => {
    const metadata: EveryMetadata = { periodMs, options: { name, onEveryReplica: true, outside: true } };
    SetMetadata(EVERY, metadata)(target, method, descriptor);
  };
}
