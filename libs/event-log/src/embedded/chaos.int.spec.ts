import { describeChaos } from '../testing/chaos-suite.ts';
import { openEmbeddedEventLog } from './embedded-event-log.ts';

describeChaos('the event log on PostgreSQL', {
  open: (connectionString) => openEmbeddedEventLog({ connection: { connectionString }, maintenance: false }),
  sessionTimeoutMs: 3_000,
});
