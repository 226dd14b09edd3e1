import type { MigrationClass } from '@tidemark/stage-runtime';
import { CreateExecuteTables1764521000000 } from './create-execute-tables-1764521000000.ts';

/** In the order in which they run. */
export const migrations: readonly MigrationClass[] = [CreateExecuteTables1764521000000];
