import { withholdingTables } from '@tidemark/stage-runtime';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What stages withdraw, and what waits for that to be taken back. */
export class CreateWithholding1764544000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(withholdingTables);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}
