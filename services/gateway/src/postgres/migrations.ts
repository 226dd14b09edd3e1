import type { MigrationClass } from '@tidemark/stage-runtime';
import { AttemptsBySubmitter1764550000000 } from '../console/kept/attempts-by-submitter.ts';
import { ConsoleTables1764534000000 } from '../console/kept/console-tables.ts';
import { Ages1764551000000 } from './ages-1764551000000.ts';
import { AccessTables1764560000000 } from './access-tables-1764560000000.ts';
import { BlobSweeps1764552000000 } from './blob-sweeps-1764552000000.ts';
import { DeadLetterStates1764530000000 } from './dead-letter-states.ts';
import { EvidenceCounts1764544000000 } from './evidence-counts.ts';
import { FollowedLooks1764548000000 } from './followed-looks-1764548000000.ts';
import { ReadModelTables1764522000000 } from './read-model-tables.ts';
import { SharedProcesses1764562000000 } from './shared-processes-1764562000000.ts';
import { StatusCounts1764543000000 } from './status-counts-1764543000000.ts';
import { SubmissionTables1764547000000 } from './submission-tables-1764547000000.ts';

/** In the order in which they run. */
export const migrations: readonly MigrationClass[] = [
  ReadModelTables1764522000000,
  DeadLetterStates1764530000000,
  ConsoleTables1764534000000,
  StatusCounts1764543000000,
  EvidenceCounts1764544000000,
  SubmissionTables1764547000000,
  AttemptsBySubmitter1764550000000,
  FollowedLooks1764548000000,
  Ages1764551000000,
  AccessTables1764560000000,
  BlobSweeps1764552000000,
  SharedProcesses1764562000000,
];
