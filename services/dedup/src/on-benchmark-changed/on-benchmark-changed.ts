import { fromBinary } from '@bufbuild/protobuf';
import { Controller } from '@nestjs/common';
import { BlobStore, readPayload } from '@tidemark/blob-store';
import { gramsOf } from '@tidemark/contamination';
import { topics } from '@tidemark/event-log';
import { type BenchmarkChanged, BenchmarkSetSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { type BenchmarkItem, lockBenchmarks, replaceBenchmark } from '../postgres/benchmarks.ts';

/** `benchmarks.changed` → the grams of the set; every problem is checked again by the timer that follows. */
@Controller()
export class OnBenchmarkChanged {
  constructor(private readonly blobs: BlobStore) {}

  @OnEvent(topics.benchmarksChanged, { maxBatchRecords: 20 })
  async handle(batch: EventBatch<BenchmarkChanged>, tx: StageTransaction): Promise<void> {
    const sets: { change: BenchmarkChanged; items: BenchmarkItem[] | undefined }[] = [];
    for (const { value } of batch) sets.push({ change: value, items: await this.itemsOf(value) });
    await lockBenchmarks(tx);
    for (const { change, items } of sets) {
      await replaceBenchmark(tx, change.benchmark, change.version, change.threshold, items);
    }
  }

  private async itemsOf(change: BenchmarkChanged): Promise<BenchmarkItem[] | undefined> {
    if (change.content === undefined) return undefined;
    const set = fromBinary(BenchmarkSetSchema, await readPayload(this.blobs, change.content));
    const byId = new Map(set.problems.map((problem) => [problem.id, problem.statement]));
    return [...byId].map(([itemId, statement]) => ({ itemId, grams: gramsOf(statement) }));
  }
}
