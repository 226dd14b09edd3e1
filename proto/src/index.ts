export * from './generated/tidemark/common/v1/common_pb.ts';
export * from './generated/tidemark/curated/v1/curated_pb.ts';
export * from './generated/tidemark/difficulty/v1/difficulty_pb.ts';
export * from './generated/tidemark/operations/v1/operations_pb.ts';
export * from './generated/tidemark/problem/v1/problem_pb.ts';
export * from './generated/tidemark/rollout/v1/rollout_pb.ts';
export * from './generated/tidemark/select/v1/select_pb.ts';
export * from './reading-rollouts.ts';
