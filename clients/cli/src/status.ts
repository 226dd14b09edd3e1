import type { ServiceState, Status, TargetCounts } from '@tidemark/http-contract';

export type { Status };
export type StatusTarget = TargetCounts;
export type StatusService = ServiceState;

/** Why services can't work now, each with its name; empty when all can. */
export const notReady = ({ services }: Status): string[] =>
  services.flatMap((one) =>
    one.reachable
      ? (one.not_ready ?? []).map((reason) => `${one.service}: ${reason}`)
      : [`${one.service}: ${one.error}`],
  );
