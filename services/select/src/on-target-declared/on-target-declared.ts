import { toBinary } from '@bufbuild/protobuf';
import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type TargetDeclared, TargetDeclaredSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { CuratedTopics } from '../curated-topics.ts';
import { lockTargets, markTargets } from '../postgres/marks.ts';

/** `targets.declared` → the target's curated topic exists, and its working set is chosen by the newest settings. */
@Controller()
export class OnTargetDeclared {
  constructor(private readonly curatedTopics: CuratedTopics) {}

  @OnEvent(topics.targetsDeclared)
  async handle(batch: EventBatch<TargetDeclared>, tx: StageTransaction): Promise<void> {
    const newest = new Map<string, TargetDeclared>();
    for (const { value } of batch) {
      const known = newest.get(value.target);
      if (known === undefined || known.version < value.version) newest.set(value.target, value);
    }
    const declared = [...newest.values()];
    await this.curatedTopics.ensure(declared.map((one) => one.target));
    await lockTargets(tx);
    await tx.query(
      `INSERT INTO targets (target, version, declaration) SELECT * FROM unnest($1::text[], $2::int[], $3::bytea[])
       ON CONFLICT (target) DO UPDATE SET version = excluded.version, declaration = excluded.declaration
       WHERE targets.version <= excluded.version`,
      [
        declared.map((one) => one.target),
        declared.map((one) => one.version),
        declared.map((one) => Buffer.from(toBinary(TargetDeclaredSchema, one))),
      ],
    );
    await markTargets(tx, newest.keys());
  }
}
