import type { DynamicModule, Type } from '@nestjs/common';
import type { ServiceName } from '@tidemark/event-log';
import type { MigrationInterface } from 'typeorm';
import type { z } from 'zod';
import type { AnyTopic } from './api.ts';

/** A TypeORM migration: its class name ends in a 13-digit time, which gives the order. */
export type MigrationClass = new () => MigrationInterface;

/** All that the runtime needs to know of a service. */
export interface ServiceDefinition<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: ServiceName;
  /**
   * One schema, parsed once at start. Field `maxTestBytes` of `normalize` is read from the environment as
   * `TIDEMARK_NORMALIZE_MAX_TEST_BYTES`. Each field has a description (with unit and range) and a default.
   * Values arrive as text: use `z.coerce.number()`, `z.stringbool()`.
   */
  readonly configSchema: Schema;
  /** The Nest module, or a function that makes it from the configuration. */
  readonly module: Type | ((config: z.output<Schema>) => DynamicModule | Type);
  /** The service's own tables. They run after the runtime's, in the service's schema, under an advisory lock. */
  readonly migrations: readonly MigrationClass[];
  /** Every topic that it reads or writes under a fixed name: created at start where missing. */
  readonly topics: readonly AnyTopic[];
  /**
   * Statements with a problem's id as $1 that remove rows which belong to it by another key, run before its own rows are
   * removed. Tables with a column `problem_id` need none.
   */
  readonly forgetting?: readonly string[];
  /** Largest HTTP request body in bytes. Default 1 MiB. */
  readonly httpBodyLimitBytes?: number;
  /** True: the service checks who may use its routes, also those that the runtime adds. */
  readonly authenticates?: boolean;
}

/** Defines a service; `index.ts` exports the result, `main.ts` starts it alone, `services/standalone` starts them all. */
export function defineService<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
): ServiceDefinition<Schema> {
  return definition;
}
