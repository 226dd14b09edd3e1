import type { Role } from './caller.ts';

/** Who may use a route or a method. Operators may use all of them. */
export interface Rule {
  /** `everyone` needs no token; an empty list leaves it to operators. */
  readonly who: 'everyone' | readonly Exclude<Role, 'operator'>[];
  /** The path names a target: a trainer's token has to name it too. Reviewers see every target. */
  readonly ofTarget?: true;
  /** A command: written into the audit log before it is carried out. */
  readonly audited?: true;
}

const everyone: Rule = { who: 'everyone' };
const operators: Rule = { who: [] };
const commandOfOperators: Rule = { who: [], audited: true };
const reviewers: Rule = { who: ['reviewer'] };
const readsTarget: Rule = { who: ['trainer', 'reviewer'], ofTarget: true };
const usesTarget: Rule = { who: ['trainer'], ofTarget: true };
const commandOfTrainers: Rule = { who: ['trainer'], ofTarget: true, audited: true };

/**
 * Every route that is served, by method and path; HEAD is as GET. A route without a rule keeps the gateway from starting.
 * What lies within an answer (own records, own targets) is decided where it is read, by the caller.
 */
export const httpRules: Readonly<Record<string, Rule>> = {
  'GET /livez': everyone,
  'GET /readyz': everyone,
  'GET /metrics': operators,
  'GET /activity': operators,

  'POST /v1/problems': { who: ['producer'] },
  'POST /v1/problems/withdraw': { who: ['producer'], audited: true },
  'POST /v1/problems/:id/withdraw': commandOfOperators,
  'POST /v1/problems/:id/restore': commandOfOperators,
  'GET /v1/problems': { who: ['producer', 'reviewer'] },
  'GET /v1/problems/:id': { who: ['producer', 'reviewer'] },
  'GET /v1/submissions': { who: ['producer', 'trainer', 'reviewer'] },
  'POST /v1/submissions/find': { who: ['producer', 'reviewer'] },
  'POST /v1/submissions/watch': { who: ['producer', 'reviewer'] },
  'POST /v1/rollouts': { who: ['trainer'] },
  'POST /v1/rollouts/grade': { who: ['trainer'] },

  'GET /v1/targets': { who: ['trainer', 'reviewer'] },
  'PUT /v1/targets/:slug': commandOfTrainers,
  'POST /v1/targets/:slug/checkpoints': commandOfTrainers,
  'POST /v1/targets/:slug/evaluate': commandOfTrainers,
  'POST /v1/targets/:slug/measure': commandOfTrainers,
  'GET /v1/targets/:slug/bins': readsTarget,
  'GET /v1/targets/:slug/moves': readsTarget,
  'GET /v1/targets/:slug/curated': readsTarget,
  'GET /v1/targets/:slug/curated/changes': readsTarget,
  'GET /v1/targets/:slug/snapshot': readsTarget,
  'POST /v1/targets/:slug/batches': usesTarget,
  'GET /v1/targets/:slug/batches/:batch': usesTarget,
  'POST /v1/targets/:slug/leases/return': usesTarget,
  'GET /v1/commands/:id': { who: ['trainer', 'reviewer'] },

  'GET /v1/status': reviewers,
  'GET /v1/events': reviewers,
  'GET /v1/benchmarks': reviewers,
  'PUT /v1/benchmarks/:name': commandOfOperators,
  'DELETE /v1/benchmarks/:name': commandOfOperators,

  'GET /v1/topics': operators,
  'POST /v1/topics': commandOfOperators,
  'GET /v1/topics/check': operators,
  'GET /v1/topics/:topic': operators,
  'GET /v1/topics/:topic/description': operators,
  'POST /v1/topics/:topic/offsets': commandOfOperators,
  'GET /v1/dead-letters': reviewers,
  'GET /v1/dead-letters/:id': reviewers,
  'POST /v1/dead-letters/replay': commandOfOperators,
  'POST /v1/dead-letters/drop': commandOfOperators,
  'POST /v1/blobs/sweep': commandOfOperators,
  // The id stands in the body: the audit log must not hold it.
  'POST /v1/forget': commandOfOperators,

  'GET /v1/tokens': operators,
  'POST /v1/tokens': commandOfOperators,
  'DELETE /v1/tokens/:id': commandOfOperators,
  'GET /v1/audit': operators,

  // The console's own files hold nothing of what the gateway knows, and a browser sends no token for them.
  'GET /': everyone,
  'GET /assets/:name': everyone,
  'GET /favicon.svg': everyone,
  'GET /problems': everyone,
  'GET /problems/:id': everyone,
  'GET /targets': everyone,
  'GET /targets/:slug': everyone,
  'GET /dead-letters': everyone,
  'GET /services': everyone,
  'GET /v1/console/problems/:id/texts': reviewers,
  'GET /v1/console/problems/:id/tests': reviewers,
  'GET /v1/console/problems/:id/attempts': reviewers,
  'GET /v1/console/problems/:id/posterior': reviewers,
  'GET /v1/console/problems/:id/cluster': reviewers,
  'GET /v1/console/targets/:slug/working-set': reviewers,
  'GET /v1/console/targets/:slug/moves': reviewers,
  'GET /v1/console/targets/:slug/evaluations': reviewers,
  'GET /v1/console/sources': reviewers,
  'GET /v1/console/dead-letter-kinds': reviewers,
};

const byProducers: Rule = { who: ['producer'] };

/** Every gRPC method that is served, as `package.Service/Method`. */
export const grpcRules: Readonly<Record<string, Rule>> = {
  'grpc.health.v1.Health/Check': everyone,
  'grpc.health.v1.Health/Watch': everyone,
  'grpc.health.v1.Health/List': everyone,
  // What is served, not what it holds.
  'grpc.reflection.v1.ServerReflection/ServerReflectionInfo': everyone,
  'grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': everyone,

  'tidemark.problem.v1.ProblemService/OfferProblems': byProducers,
  'tidemark.problem.v1.ProblemService/StreamProblems': byProducers,
  'tidemark.problem.v1.ProblemService/WithdrawProblem': { who: ['producer'], audited: true },
  'tidemark.problem.v1.ProblemService/FindProblems': { who: ['producer', 'reviewer'] },
  'tidemark.problem.v1.ProblemService/WatchProblems': { who: ['producer', 'reviewer'] },

  'tidemark.trainer.v1.TrainerService/DeclareTarget': commandOfTrainers,
  'tidemark.trainer.v1.TrainerService/AdvanceCheckpoint': commandOfTrainers,
  'tidemark.trainer.v1.TrainerService/NextBatch': usesTarget,
  'tidemark.trainer.v1.TrainerService/ReplayBatch': usesTarget,
  'tidemark.trainer.v1.TrainerService/ReturnLeases': usesTarget,
  'tidemark.trainer.v1.TrainerService/FollowCurated': readsTarget,
  // Which targets the groups may be of is looked at group by group.
  'tidemark.trainer.v1.TrainerService/ReportGroups': { who: ['trainer'] },
  'tidemark.trainer.v1.TrainerService/GradeGroups': { who: ['trainer'] },
};
