import type { BlobStore } from '@tidemark/blob-store';
import type { EventLog } from '@tidemark/event-log';
import type { Logger } from 'pino';
import type { BackoffOptions } from './backoff.ts';
import type { Transactions } from './database/transactions.ts';
import type { StageIdentity } from './identity.ts';
import type { JobBounds } from './jobs/job-bounds.ts';
import type { MomentListener } from './moments.ts';
import type { ConsumerProgress } from './observe/consumer-progress.ts';
import type { ReadinessBoard } from './observe/readiness-board.ts';
import type { RuntimeMetrics } from './observe/runtime-metrics.ts';
import type { Tracing } from './observe/tracing.ts';

/** Whom to wake once a transaction is committed. */
export interface Wakes {
  relay(shards: ReadonlySet<number>): void;
  worker(kind: string): void;
}

/** What every moving part of a running service is given. */
export interface StageParts {
  readonly identity: StageIdentity;
  readonly log: EventLog;
  readonly transactions: Transactions;
  readonly logger: Logger;
  readonly board: ReadinessBoard;
  readonly metrics: RuntimeMetrics;
  readonly progress: ConsumerProgress;
  /** Undefined: traces are off. */
  readonly tracing: Tracing | undefined;
  readonly wakes: Wakes;
  readonly bounds: JobBounds;
  readonly blobs: BlobStore;
  readonly reached: MomentListener;
  /** Aborts when the service stops or is given up: nobody waits or starts again after that. */
  readonly ended: AbortSignal;
  readonly backoff: BackoffOptions;
}
