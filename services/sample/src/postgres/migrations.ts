import type { MigrationClass } from '@tidemark/stage-runtime';
import { AddAnswerVersions1764542000000 } from './add-answer-versions-1764542000000.ts';
import { CreateRequests1764520000000 } from './create-requests-1764520000000.ts';

/** In the order in which they run. */
export const migrations: readonly MigrationClass[] = [CreateRequests1764520000000, AddAnswerVersions1764542000000];
