import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import { afterAll, beforeAll } from 'vitest';
import { describeEventLog } from '../testing/contract-suite.ts';
import { openEmbeddedEventLog } from './embedded-event-log.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describeEventLog('PostgreSQL', {
  open: () => openEmbeddedEventLog({ connection: { connectionString: postgres.url }, maintenance: false }),
  compactsByItself: false,
});
