import type { FastifyRequest } from 'fastify';

/**
 * What a token may be for. `producer` offers problems and asks what became of its own; `trainer` works with the targets
 * that its token names; `reviewer` reads everything, hidden tests and held-out problems too; `operator` may do all.
 */
export const roles = ['producer', 'trainer', 'reviewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/** Who speaks: known by its token, or by sitting at this machine. */
export interface Caller {
  /** Written down with what it submits and does: the token's name, or `local`. */
  readonly name: string;
  /** Undefined for the token that the gateway was started with, and for `local`. */
  readonly tokenId: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Slugs of the targets that a trainer's token names. */
  readonly targets: ReadonlySet<string>;
  /** Whether its own verdicts count without being judged again. */
  readonly trustedToGrade: boolean;
  /** Whether it may see what no trainer may: hidden tests, held-out statements, what programs printed. */
  readonly mayReview: boolean;
  /** Under which its rate and its requests at once are counted; undefined for `local`, which shares with nobody. */
  readonly limitedAs: string | undefined;
}

/** Whether the caller may work with a target. */
export function mayUseTarget({ roles, targets }: Caller, target: string): boolean {
  return roles.has('operator') || (roles.has('trainer') && targets.has(target));
}

/** Whether the caller may read what stands of a target. */
export function mayReadTarget(caller: Caller, target: string): boolean {
  return caller.roles.has('reviewer') || mayUseTarget(caller, target);
}

/** Whose records a caller may ask about: undefined means everybody's, a name those of that submitter alone. */
export function submitterSeenBy({ roles, name }: Caller): string | undefined {
  return roles.has('operator') || roles.has('reviewer') ? undefined : name;
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Keeps who sent a request, once it was let in. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Who sent a request that was let in. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('the request was not let in by anyone');
  return caller;
}
