import { rmSync } from 'node:fs';
import { type BundledPostgres, startBundledPostgres } from '@tidemark/bundled-postgres';
import { testFolder } from './test-folder.ts';

/** Nothing of a test outlives the machine, so nothing waits for the disk. A killed server still recovers from the page cache. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '300',
};

/** A PostgreSQL server for tests, with its own folder, which goes when it stops. */
export async function startOwnPostgres(): Promise<BundledPostgres> {
  const folder = testFolder('postgres');
  const server = await startBundledPostgres({ folder, settings: SETTINGS });
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
