import type { MigrationClass } from '@tidemark/stage-runtime';
import { CreateEvidence1764500000000 } from './create-evidence-1764500000000.ts';
import { KeepOrigins1764545000000 } from './keep-origins-1764545000000.ts';
import { IdentifyGroups1764541000000 } from './identify-groups-1764541000000.ts';

/** In order; each only expands, so that a replica of the release before goes on working beside it. */
export const migrations: readonly MigrationClass[] = [
  CreateEvidence1764500000000,
  IdentifyGroups1764541000000,
  KeepOrigins1764545000000,
];
