import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { JobWorker, StageTransaction } from './api.ts';
import { EVERY, type EveryMetadata, type TimerTick } from './every.ts';
import type { TimerWork } from './timers/timer-loop.ts';
import { type ActivitySource, REPORTS_ACTIVITY, WORKER } from './worker.ts';

/** What the runtime drives, found in a service's module by its marks. */
export interface Discovered {
  readonly workers: readonly JobWorker<unknown, unknown>[];
  readonly timers: readonly TimerWork[];
  readonly activitySources: readonly ActivitySource[];
}

export function discover(app: INestApplicationContext): Discovered {
  const instances = instancesOf(app);
  const marked = (mark: symbol) => instances.filter((instance) => Reflect.hasMetadata(mark, instance.constructor));
  return {
    workers: marked(WORKER) as unknown as JobWorker<unknown, unknown>[],
    timers: instances.flatMap(timersOf),
    activitySources: marked(REPORTS_ACTIVITY) as unknown as ActivitySource[],
  };
}

function instancesOf(app: INestApplicationContext): object[] {
  const instances = new Set<object>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const wrapper of [...module.providers.values(), ...module.controllers.values()]) {
      const instance: unknown = wrapper.isNotMetatype || wrapper.metatype ? wrapper.instance : undefined;
      if (typeof instance === 'object' && instance !== null) instances.add(instance);
    }
  }
  return [...instances];
}

function timersOf(instance: object): TimerWork[] {
  const prototype: unknown = Object.getPrototypeOf(instance);
  if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) return [];
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((method): TimerWork[] => {
    const turn = (prototype as Record<string, EveryTurn | undefined>)[method];
    if (typeof turn !== 'function') return [];
    const metadata = Reflect.getMetadata(EVERY, turn) as EveryMetadata | undefined;
    if (metadata === undefined) return [];
    const { periodMs, options } = metadata;
    const timer = { name: options.name ?? `${instance.constructor.name}.${method}`, periodMs };
    if (options.outside) return [{ ...timer, kind: 'outside', turn: (tick) => turn.call(instance, tick) }];
    return [
      {
        ...timer,
        kind: 'transaction',
        onEveryReplica: options.onEveryReplica ?? false,
        turn: (tick: TimerTick, tx: StageTransaction): Promise<void> => turn.call(instance, tick, tx),
      },
    ];
  });
}

type EveryTurn = (tick: TimerTick, tx?: StageTransaction) => Promise<void>;
