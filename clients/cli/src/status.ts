/** `GET /v1/status`, as far as the command line reads it. */
export interface Status {
  readonly quiet: boolean;
  readonly problems: number;
  readonly funnel: readonly StatusCount[];
  readonly intake: { readonly problems_refused: number; readonly rollouts_refused: number };
  readonly targets: readonly StatusTarget[];
  readonly rates_per_second: Readonly<Record<string, number>>;
  /** What groups of attempts wait for, that may never come; absent from an older gateway. */
  readonly waiting?: readonly { readonly kind: string; readonly name: string; readonly count: number }[];
  readonly services: readonly StatusService[];
}

export interface StatusCount {
  readonly state: string;
  readonly stage: string;
  readonly reason: string;
  readonly problems: number;
}

export interface StatusTarget {
  readonly target: string;
  readonly version: number;
  readonly checkpoint: string;
  readonly bins: Readonly<
    Record<string, { readonly curated: number; readonly predicted: number; readonly measured: number }>
  >;
  readonly panel: number;
  readonly curated: number;
  readonly set_aside: number;
  readonly reserve: number;
  readonly groups: number;
  readonly attempts: number;
  readonly passes: number;
  readonly environment_failures: number;
  readonly evaluations: number;
  readonly moves: number;
}

export type StatusService =
  | {
      readonly service: string;
      readonly reachable: true;
      readonly quiet: boolean;
      readonly lag: number;
      readonly outbox: number;
      readonly jobs: number;
      readonly pending: Readonly<Record<string, number>>;
      readonly dead_letters: number;
      /** Why it can't work now; empty when it can. */
      readonly not_ready?: readonly string[];
    }
  | { readonly service: string; readonly reachable: false; readonly error: string };

/** Why services can't work now, each with its name; empty when all can. */
export const notReady = ({ services }: Status): string[] =>
  services.flatMap((one) =>
    one.reachable
      ? (one.not_ready ?? []).map((reason) => `${one.service}: ${reason}`)
      : [`${one.service}: ${one.error}`],
  );
