import { Module } from '@nestjs/common';
import { TrainerMethods } from './grpc/trainer-methods.ts';
import { ProblemMethods } from './grpc/problem-methods.ts';
import { GrpcDoor } from './grpc/grpc-door.ts';
import { ChangesController } from './curated/changes.controller.ts';
import { CuratedTail } from './curated/curated-tail.ts';
import { CuratedFeed } from './curated/curated-feed.ts';
import { GradingController } from './grading/grading.controller.ts';
import { Grading } from './grading/grading.ts';
import { WatchController } from './explain/watch.controller.ts';
import { ProblemStates } from './explain/problem-states.ts';
import { Withdrawals } from './intake/withdrawals.ts';
import { UploadRoom } from './intake/upload-room.ts';
import { RecordStreams } from './intake/record-streams.ts';
import { RecordLists } from './intake/record-lists.ts';
import { APP_FILTER } from '@nestjs/core';
import { Admission } from './access/admission.ts';
import { AuditController } from './access/audit.controller.ts';
import { AuditLog } from './access/audit-log.ts';
import { Callers } from './access/callers.ts';
import { Tokens } from './access/tokens.ts';
import { TokensController } from './access/tokens.controller.ts';
import { BatchesController } from './batches/batches.controller.ts';
import { SelectClient } from './batches/select-client.ts';
import { BlobsController } from './blobs/blobs.controller.ts';
import { SweepBlobs } from './blobs/sweep-blobs.ts';
import { Benchmarks } from './benchmarks/benchmarks.ts';
import { BenchmarksController } from './benchmarks/benchmarks.controller.ts';
import { Commands } from './commands/commands.ts';
import { OrderAll } from './commands/order-all.ts';
import { CommandsController } from './commands/commands.controller.ts';
import { consoleControllers, consoleProviders } from './console/console.ts';
import { CuratedController } from './curated/curated.controller.ts';
import { CuratedJson } from './curated/curated-json.ts';
import { CuratedSets } from './curated/curated-sets.ts';
import { DeadLetters } from './dead-letters/dead-letters.ts';
import { DeadLettersController } from './dead-letters/dead-letters.controller.ts';
import { LetterReader } from './dead-letters/letter-reader.ts';
import { Explain } from './explain/explain.ts';
import { ProblemsController } from './explain/problems.controller.ts';
import { ForgetOldRows } from './housekeeping/forget-old-rows.ts';
import { ForgetController } from './forget/forget.controller.ts';
import { ForgetProblem } from './forget/forget-problem.ts';
import { GatewayHttp } from './http/gateway-http.ts';
import { ProblemJsonFilter } from './http/problem-json.filter.ts';
import { ProblemsIntakeController } from './intake/problems-intake.controller.ts';
import { RolloutsIntakeController } from './intake/rollouts-intake.controller.ts';
import { Submissions } from './intake/submissions.ts';
import { UploadDesk } from './intake/upload-desk.ts';
import { Uploads } from './intake/uploads.ts';
import { WithdrawController } from './intake/withdraw.controller.ts';
import { OperatorWithdrawals } from './withdrawals/operator-withdrawals.ts';
import { OperatorWithdrawalsController } from './withdrawals/operator-withdrawals.controller.ts';
import { OnCalibrationPublished } from './on-calibration-published/on-calibration-published.ts';
import { OnCommandCompleted } from './on-command-completed/on-command-completed.ts';
import { OnDifficultyEstimated } from './on-difficulty-estimated/on-difficulty-estimated.ts';
import { OnEvaluationRecorded } from './on-evaluation-recorded/on-evaluation-recorded.ts';
import { OnHeldoutEvaluated } from './on-heldout-evaluated/on-heldout-evaluated.ts';
import { OnPanelDrawn } from './on-panel-drawn/on-panel-drawn.ts';
import { OnProblemNormalized } from './on-problem-normalized/on-problem-normalized.ts';
import { OnProblemRaw } from './on-problem-raw/on-problem-raw.ts';
import { OnProblemScored } from './on-problem-scored/on-problem-scored.ts';
import { OnProblemStatus } from './on-problem-status/on-problem-status.ts';
import { OnProblemUnique } from './on-problem-unique/on-problem-unique.ts';
import { OnProblemVerified } from './on-problem-verified/on-problem-verified.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { OnReviewRequested } from './on-review-requested/on-review-requested.ts';
import { OnRolloutsGraded } from './on-rollouts-graded/on-rollouts-graded.ts';
import { OnSuiteChanged } from './on-suite-changed/on-suite-changed.ts';
import { DeadLetterTopics } from './read-model/dead-letter-topics.ts';
import { FollowTopics } from './read-model/follow-topics.ts';
import { LogFollower } from './read-model/log-follower.ts';
import { VisibleStates } from './read-model/visible-states.ts';
import { Quiet } from './status/quiet.ts';
import { FoldCounts } from './status/fold-counts.ts';
import { Placements } from './status/placements.ts';
import { Rates } from './status/rates.ts';
import { ServiceDirectory } from './status/service-directory.ts';
import { StatusReport } from './status/status-report.ts';
import { StatusController } from './status/status.controller.ts';
import { Targets } from './targets/targets.ts';
import { TargetsController } from './targets/targets.controller.ts';
import { TopicDesk } from './topics/topic-desk.ts';
import { TopicDeskController } from './topics/topic-desk.controller.ts';
import { TopicsController } from './topics/topics.controller.ts';

const readModel = [
  OnProblemRaw,
  OnProblemNormalized,
  OnProblemUnique,
  OnProblemVerified,
  OnProblemScored,
  OnProblemStatus,
  OnProblemWithdrawn,
  OnSuiteChanged,
  OnPanelDrawn,
  OnRolloutsGraded,
  OnCalibrationPublished,
  OnEvaluationRecorded,
  OnDifficultyEstimated,
  OnHeldoutEvaluated,
  OnReviewRequested,
  OnCommandCompleted,
];

const http = [
  TokensController,
  AuditController,
  GradingController,
  WatchController,
  ChangesController,
  ProblemsIntakeController,
  WithdrawController,
  OperatorWithdrawalsController,
  RolloutsIntakeController,
  TargetsController,
  CommandsController,
  BatchesController,
  CuratedController,
  BenchmarksController,
  StatusController,
  ProblemsController,
  TopicDeskController,
  TopicsController,
  DeadLettersController,
  BlobsController,
  ForgetController,
  ...consoleControllers,
];

/** The only door for people and clients. */
@Module({
  controllers: [...readModel, ...http],
  providers: [
    { provide: APP_FILTER, useClass: ProblemJsonFilter },
    GatewayHttp,
    Admission,
    AuditLog,
    Callers,
    Tokens,
    Submissions,
    Uploads,
    UploadDesk,
    UploadRoom,
    RecordLists,
    RecordStreams,
    Withdrawals,
    ProblemStates,
    Grading,
    CuratedFeed,
    CuratedTail,
    GrpcDoor,
    ProblemMethods,
    TrainerMethods,
    Targets,
    Commands,
    OrderAll,
    SweepBlobs,
    ForgetProblem,
    SelectClient,
    Benchmarks,
    CuratedJson,
    CuratedSets,
    DeadLetterTopics,
    DeadLetters,
    LetterReader,
    TopicDesk,
    LogFollower,
    FollowTopics,
    OperatorWithdrawals,
    VisibleStates,
    Explain,
    FoldCounts,
    ForgetOldRows,
    Placements,
    Rates,
    Quiet,
    ServiceDirectory,
    StatusReport,
    ...consoleProviders,
  ],
})
export class GatewayModule {}
