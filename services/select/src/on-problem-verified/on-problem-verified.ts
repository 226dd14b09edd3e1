import { toBinary } from '@bufbuild/protobuf';
import { Controller } from '@nestjs/common';
import { BlobStore, readPayload, storePayload } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { CuratedProblemSchema, type ProblemVerified, Split } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markAllTargets } from '../postgres/marks.ts';
import { curatedContent, isSynthetic, publicSuite } from './curated-content.ts';

/** `problems.verified` → the problem may be selected. */
@Controller()
export class OnProblemVerified {
  constructor(private readonly blobs: BlobStore) {}

  @OnEvent(topics.problemsVerified)
  async handle(batch: EventBatch<ProblemVerified>, tx: StageTransaction): Promise<void> {
    const contents = await Promise.all(batch.events.map(({ value }) => this.contentOf(value)));
    const problems = batch.events.map(({ value }) => value);
    await tx.query(
      `INSERT INTO problems (problem_id, version, suite_hash, held_out, synthetic, content, traceparent)
       SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::bool[], $5::bool[], $6::bytea[], $7::text[])
       ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, suite_hash = excluded.suite_hash,
         held_out = excluded.held_out, synthetic = excluded.synthetic, content = excluded.content,
         traceparent = excluded.traceparent
       WHERE problems.version <= excluded.version`,
      [
        problems.map((one) => one.problemId),
        problems.map((one) => one.version),
        problems.map((one) => one.suiteHash),
        problems.map((one) => one.split !== Split.TRAIN),
        problems.map(isSynthetic),
        contents,
        batch.events.map(({ traceparent }) => traceparent ?? null),
      ],
    );
    const removed = batch.removed.map(({ key }) => key);
    if (removed.length > 0) await tx.query('DELETE FROM problems WHERE problem_id = ANY($1)', [removed]);
    await markAllTargets(tx);
  }

  private async contentOf(problem: ProblemVerified): Promise<Buffer> {
    const suite = problem.suite && publicSuite(await readPayload(this.blobs, problem.suite));
    const publicTests = suite && (await storePayload(this.blobs, suite));
    return Buffer.from(toBinary(CuratedProblemSchema, curatedContent(problem, publicTests)));
  }
}
