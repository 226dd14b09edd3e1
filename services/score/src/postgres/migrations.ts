import type { MigrationClass } from '@tidemark/stage-runtime';
import { CreateScores1764520000000 } from './create-scores-1764520000000.ts';
import { CreateWithholding1764544000000 } from './create-withholding-1764544000000.ts';

/** In the order in which they run. */
export const migrations: readonly MigrationClass[] = [CreateScores1764520000000, CreateWithholding1764544000000];
