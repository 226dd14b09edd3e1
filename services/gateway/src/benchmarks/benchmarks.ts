import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { Injectable } from '@nestjs/common';
import { BlobStore, storePayload } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { BenchmarkChangedSchema, type BenchmarkSet, BenchmarkSetSchema, type Payload } from '@tidemark/proto';
import { causeOf, StageDatabase } from '@tidemark/stage-runtime';
import { notFound } from '../http/http-problem.ts';

export interface BenchmarkChange {
  readonly benchmark: string;
  readonly version: number;
  readonly problems: number;
  readonly outcome: 'added' | 'replaced' | 'removed' | 'unchanged';
}

interface BenchmarkRow {
  readonly version: number;
  readonly content_hash: string;
  readonly threshold: number;
  readonly removed: boolean;
}

/** Benchmark sets that problems are checked against; each change of a set has a version. */
@Injectable()
export class Benchmarks {
  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
  ) {}

  /** @param threshold share of common 16-grams above which a problem is rejected; 0 for the default */
  async put(benchmark: string, set: BenchmarkSet, threshold: number): Promise<BenchmarkChange> {
    const content = await storePayload(this.blobs, toBinary(BenchmarkSetSchema, set));
    return await this.change(benchmark, { content, threshold, problems: set.problems.length });
  }

  /** @throws HttpProblem 404 */
  remove(benchmark: string): Promise<BenchmarkChange> {
    return this.change(benchmark, undefined);
  }

  private change(
    benchmark: string,
    next: { content: Payload; threshold: number; problems: number } | undefined,
  ): Promise<BenchmarkChange> {
    const cause = causeOf(randomUUID());
    return this.database.transaction('change-benchmark', async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tidemark benchmark ${benchmark}`]);
      const [known] = await tx.query<BenchmarkRow>(
        'SELECT version, content_hash, threshold, removed FROM benchmark WHERE benchmark = $1',
        [benchmark],
      );
      const there = known !== undefined && !known.removed;
      if (next === undefined && !there) throw notFound('benchmark', benchmark, 'Nothing needs to be removed.');
      const problems = next?.problems ?? 0;
      if (there && known.content_hash === next?.content.sha256 && known.threshold === next.threshold) {
        return { benchmark, version: known.version, problems, outcome: 'unchanged' };
      }
      const version = (known?.version ?? 0) + 1;
      const threshold = next?.threshold ?? 0;
      await tx.query(
        `INSERT INTO benchmark (benchmark, version, content_hash, problem_count, threshold, removed, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, now())
         ON CONFLICT (benchmark) DO UPDATE SET version = excluded.version, content_hash = excluded.content_hash,
           problem_count = excluded.problem_count, threshold = excluded.threshold, removed = excluded.removed,
           changed_at = excluded.changed_at`,
        [benchmark, version, next?.content.sha256 ?? '', problems, threshold, next === undefined],
      );
      const message = create(BenchmarkChangedSchema, {
        benchmark,
        version,
        problemCount: problems,
        threshold,
        changedAt: timestampNow(),
        ...(next !== undefined && { content: next.content }),
      });
      tx.publish(cause, topics.benchmarksChanged, message);
      return { benchmark, version, problems, outcome: next === undefined ? 'removed' : there ? 'replaced' : 'added' };
    });
  }
}
