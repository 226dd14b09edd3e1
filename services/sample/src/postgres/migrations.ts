import type { MigrationClass } from '@tidemark/stage-runtime';
import { CreateRequests1764520000000 } from './create-requests-1764520000000.ts';

/** In the order in which they run. */
export const migrations: readonly MigrationClass[] = [CreateRequests1764520000000];
