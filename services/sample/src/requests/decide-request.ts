import type { RolloutsRequested, TargetDeclared } from '@tidemark/proto';
import type { KnownProblem } from '../postgres/problems.ts';

/** What to do with a request, given what is known. */
export type RequestDecision =
  | { readonly kind: 'ask'; readonly target: TargetDeclared; readonly problem: KnownProblem }
  /** Its problem or its target has not come by yet. */
  | { readonly kind: 'wait'; readonly for: 'problem' | 'target' }
  /** It can't be done; `reason` is a stable code. */
  | { readonly kind: 'refuse'; readonly reason: RefusalReason };

export type RefusalReason = 'no_attempts' | 'no_endpoint' | 'bad_endpoint' | 'superseded' | 'withdrawn';

/**
 * @param targets every known version of the request's target
 * @param problem the newest version known, undefined when none is
 */
export function decideRequest(
  request: RolloutsRequested,
  targets: readonly TargetDeclared[],
  problem: KnownProblem | undefined,
): RequestDecision {
  if (request.attempts < 1) return { kind: 'refuse', reason: 'no_attempts' };
  const target = chooseTarget(request, targets);
  if (target === undefined) return { kind: 'wait', for: 'target' };
  if (target.endpointUrl === '') return { kind: 'refuse', reason: 'no_endpoint' };
  if (!isEndpoint(target.endpointUrl)) return { kind: 'refuse', reason: 'bad_endpoint' };
  if (problem === undefined || problem.version < request.version) return { kind: 'wait', for: 'problem' };
  if (request.version !== 0 && problem.version > request.version) return { kind: 'refuse', reason: 'superseded' };
  if (problem.withdrawnVersion >= problem.version) return { kind: 'refuse', reason: 'withdrawn' };
  return { kind: 'ask', target, problem };
}

/** The version asked for; the newest where the request names none. */
function chooseTarget(request: RolloutsRequested, targets: readonly TargetDeclared[]): TargetDeclared | undefined {
  const own = targets.filter(({ target }) => target === request.target);
  if (request.targetVersion !== 0) return own.find(({ version }) => version === request.targetVersion);
  return own.reduce<TargetDeclared | undefined>(
    (newest, each) => (newest === undefined || each.version > newest.version ? each : newest),
    undefined,
  );
}

/** Web addresses alone, and none with a name and password in it: addresses travel in topics and logs. */
function isEndpoint(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
