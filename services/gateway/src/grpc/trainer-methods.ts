import { create, toJson } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { type LeasedProblem, trainer } from '@tidemark/proto';
import { batchSchema, returnSchema } from '../batches/batch-requests.ts';
import { SelectClient } from '../batches/select-client.ts';
import { type CuratedChange, CuratedFeed } from '../curated/curated-feed.ts';
import { CuratedJson } from '../curated/curated-json.ts';
import { type GradeAnswer, Grading } from '../grading/grading.ts';
import { check } from '../http/read-body.ts';
import { MAX_RECORDS, RecordLists } from '../intake/record-lists.ts';
import { rolloutUploads } from '../intake/rollout-uploads.ts';
import { settingsOf } from '../intake/upload-settings.ts';
import { checkpointSchema, targetSettingsSchema } from '../targets/target-settings.ts';
import { targetSlugOf } from '../targets/target-slug.ts';
import { Targets } from '../targets/targets.ts';
import { type CallContext, type OpenCall, serverStream, unaryCall } from './calls.ts';
import { groupRecords } from './group-records.ts';
import { recordFault, recordResult } from './record-results.ts';

/** Groups of one report at most: each has an attempt or more, and a report up to 10,000 of these. */
const MAX_GROUPS = 20 * MAX_RECORDS;
const DEFAULT_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 600;

/** `tidemark.trainer.v1.TrainerService`: the trainers' use cases, by gRPC. */
@Injectable()
export class TrainerMethods {
  constructor(
    private readonly targets: Targets,
    private readonly select: SelectClient,
    private readonly json: CuratedJson,
    private readonly feed: CuratedFeed,
    private readonly lists: RecordLists,
    private readonly grading: Grading,
  ) {}

  handlers(opener: (method: string) => OpenCall): UntypedServiceImplementation {
    return {
      declareTarget: unaryCall<typeof trainer.DeclareTargetRequestSchema, typeof trainer.DeclareTargetResponseSchema>(
        opener('DeclareTarget'),
        async ({ target, settings }, context) => {
          await permitTarget(context, target);
          // The fields of the message bear the names of the JSON: what is left out has its default there.
          const given = toJson(trainer.TargetSettingsSchema, settings ?? create(trainer.TargetSettingsSchema), {
            useProtoFieldName: true,
          });
          const declared = await this.targets.declare(target, check(targetSettingsSchema, given, 'settings'));
          return create(trainer.DeclareTargetResponseSchema, { target, ...declared });
        },
      ),
      advanceCheckpoint: unaryCall<
        typeof trainer.AdvanceCheckpointRequestSchema,
        typeof trainer.AdvanceCheckpointResponseSchema
      >(opener('AdvanceCheckpoint'), async ({ target, checkpoint, ordinal }, context) => {
        await permitTarget(context, target);
        const asked = check(checkpointSchema, { checkpoint, ordinal }, 'message');
        const advanced = await this.targets.advance(target, asked.checkpoint, asked.ordinal);
        return create(trainer.AdvanceCheckpointResponseSchema, { target, ...advanced });
      }),
      nextBatch: unaryCall<typeof trainer.NextBatchRequestSchema, typeof trainer.NextBatchResponseSchema>(
        opener('NextBatch'),
        async ({ target, count, leaseSeconds, seed }, context) => {
          await permitTarget(context, target);
          const given = { lease_seconds: leaseSeconds, seed: Number(seed), ...(count > 0 && { count }) };
          const asked = check(batchSchema, given, 'message');
          await this.targets.assertKnown(target);
          const batch = await this.select.nextBatch({
            target,
            count: asked.count,
            leaseMs: Math.round(asked.lease_seconds * 1_000),
            holder: context.caller.name,
            seed,
          });
          return create(trainer.NextBatchResponseSchema, {
            batch: batch.batch,
            seed,
            problems: await this.inlined(batch.problems),
            expiresAt: timestampFromMs(Number(batch.expiresAtMs)),
            workingSet: batch.workingSet,
          });
        },
      ),
      replayBatch: unaryCall<typeof trainer.ReplayBatchRequestSchema, typeof trainer.ReplayBatchResponseSchema>(
        opener('ReplayBatch'),
        async ({ target, batch: number, seed }, context) => {
          await permitTarget(context, target);
          await this.targets.assertKnown(target);
          const batch = await this.select.replayBatch(target, number, seed);
          return create(trainer.ReplayBatchResponseSchema, {
            batch: number,
            seed,
            problems: await this.inlined(batch.problems),
            withdrawn: batch.withdrawn,
            expiresAt: timestampFromMs(Number(batch.expiresAtMs)),
          });
        },
      ),
      returnLeases: unaryCall<typeof trainer.ReturnLeasesRequestSchema, typeof trainer.ReturnLeasesResponseSchema>(
        opener('ReturnLeases'),
        async ({ target, leaseIds }, context) => {
          await permitTarget(context, target);
          const { lease_ids } = check(returnSchema, { lease_ids: leaseIds }, 'message');
          await this.targets.assertKnown(target);
          const { returned } = await this.select.returnLeases(target, lease_ids);
          return create(trainer.ReturnLeasesResponseSchema, { returned });
        },
      ),
      followCurated: serverStream<
        typeof trainer.FollowCuratedRequestSchema,
        typeof trainer.FollowCuratedResponseSchema
      >(opener('FollowCurated'), (request, context) => this.follow(request, context)),
      reportGroups: unaryCall<typeof trainer.ReportGroupsRequestSchema, typeof trainer.ReportGroupsResponseSchema>(
        opener('ReportGroups'),
        async ({ idempotencyKey, sourceFile, groups }, context) => {
          await context.permit({});
          const settings = settingsOf({ ...keyOf(idempotencyKey), source_file: sourceFile }, 'message');
          const records = groupRecords(groups);
          const { caller } = context;
          const { answers, summary } = await this.lists.take(caller, rolloutUploads, records, settings, MAX_GROUPS);
          const { upload, repeated } = summary;
          return create(trainer.ReportGroupsResponseSchema, { results: answers.map(recordResult), upload, repeated });
        },
      ),
      gradeGroups: serverStream<typeof trainer.GradeGroupsRequestSchema, typeof trainer.GradeGroupsResponseSchema>(
        opener('GradeGroups'),
        (request, context) => this.grade(request, context),
      ),
    };
  }

  private async *follow(
    { target, position }: trainer.FollowCuratedRequest,
    context: CallContext,
  ): AsyncGenerator<trainer.FollowCuratedResponse> {
    await permitTarget(context, target);
    await this.targets.assertKnown(target);
    for await (const change of this.feed.follow(target, position, context.signal))
      yield await this.changeMessage(change);
  }

  private async changeMessage(change: CuratedChange): Promise<trainer.FollowCuratedResponse> {
    const { position } = change;
    const message = (told: trainer.FollowCuratedResponse['change']) =>
      create(trainer.FollowCuratedResponseSchema, { position, change: told });
    switch (change.kind) {
      case 'restart':
        return message({ case: 'restart', value: create(trainer.RestartSchema, { reason: change.reason }) });
      case 'problem':
        return message({ case: 'problem', value: await this.json.inlined(change.problem) });
      case 'left':
        return message({ case: 'left', value: create(trainer.LeftSchema, { problemId: change.problemId }) });
      case 'alive':
        return message({ case: 'alive', value: create(trainer.AliveSchema, { caughtUp: change.caughtUp }) });
    }
  }

  private async *grade(
    { idempotencyKey, groups, waitSeconds }: trainer.GradeGroupsRequest,
    context: CallContext,
  ): AsyncGenerator<trainer.GradeGroupsResponse> {
    await context.permit({});
    const settings = settingsOf(keyOf(idempotencyKey), 'message');
    const waitMs = Math.min(waitSeconds > 0 ? waitSeconds : DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS) * 1_000;
    const { caller, signal } = context;
    const answers = this.grading.grade(caller, groupRecords(groups), settings, waitMs, signal);
    for await (const answer of answers) yield gradeMessage(answer);
  }

  private async inlined(leased: readonly LeasedProblem[]): Promise<trainer.LeasedProblem[]> {
    const problems: trainer.LeasedProblem[] = [];
    for (const { leaseId, problem } of leased) {
      if (problem === undefined) continue;
      problems.push(create(trainer.LeasedProblemSchema, { leaseId, problem: await this.json.inlined(problem) }));
    }
    return problems;
  }
}

async function permitTarget(context: CallContext, target: string): Promise<void> {
  await context.permit({ target: target.slice(0, 100) });
  targetSlugOf(target);
}

const keyOf = (key: string): Readonly<Record<string, string>> => (key === '' ? {} : { idempotency_key: key });

function gradeMessage(answer: GradeAnswer): trainer.GradeGroupsResponse {
  const line = BigInt(answer.line);
  const group = answer.group ?? '';
  switch (answer.outcome) {
    case 'refused': {
      const value = { faults: answer.faults.map(recordFault) };
      return create(trainer.GradeGroupsResponseSchema, { line, group, outcome: { case: 'refused', value } });
    }
    case 'graded': {
      const { suite_hash: suiteHash, judge_version: judgeVersion, verdicts, passed, counted } = answer;
      const value = { suiteHash, judgeVersion, verdicts: [...verdicts], passed, counted };
      return create(trainer.GradeGroupsResponseSchema, { line, group, outcome: { case: 'graded', value } });
    }
    case 'pending': {
      const value = answer.waits_for === undefined ? {} : { waitsFor: answer.waits_for };
      return create(trainer.GradeGroupsResponseSchema, { line, group, outcome: { case: 'pending', value } });
    }
  }
}
