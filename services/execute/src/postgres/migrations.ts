import type { MigrationClass } from '@tidemark/stage-runtime';
import { AddMissingLanguages1764535000000 } from './add-missing-languages-1764535000000.ts';
import { AddSharedProcess1764525000000 } from './add-shared-process-1764525000000.ts';
import { CreateDuplicates1764561000000 } from './create-duplicates-1764561000000.ts';
import { CreateExecuteTables1764521000000 } from './create-execute-tables-1764521000000.ts';
import { KeepOrigins1764545000000 } from './keep-origins-1764545000000.ts';
import { CreateSuspicions1764530000000 } from './create-suspicions-1764530000000.ts';

/** In the order in which they run. */
export const migrations: readonly MigrationClass[] = [
  CreateExecuteTables1764521000000,
  AddSharedProcess1764525000000,
  CreateSuspicions1764530000000,
  AddMissingLanguages1764535000000,
  KeepOrigins1764545000000,
  CreateDuplicates1764561000000,
];
