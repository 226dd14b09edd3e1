import { type Caller, mayUseTarget } from './caller.ts';
import type { Rule } from './rules.ts';

export type Permission =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly code: string; readonly what: string; readonly todo: string };

/**
 * Whether a caller may use what a rule stands on.
 *
 * @param target what the request names, where the rule is of a target; undefined when it names none
 */
export function decidePermission(caller: Caller, rule: Rule, target: string | undefined): Permission {
  if (rule.who === 'everyone' || caller.roles.has('operator')) return { kind: 'allowed' };
  const roles = rule.who.filter((role) => caller.roles.has(role));
  if (roles.length === 0) {
    const wanted = [...rule.who, 'operator'].join(' or ');
    return {
      kind: 'refused',
      code: 'role_missing',
      what: `This token is for ${[...caller.roles].join(' and ')}, and this wants one for ${wanted}.`,
      todo: 'Ask an operator for such a token: tidemark token create.',
    };
  }
  if (rule.ofTarget !== true || roles.includes('reviewer')) return { kind: 'allowed' };
  if (target !== undefined && mayUseTarget(caller, target)) return { kind: 'allowed' };
  return {
    kind: 'refused',
    code: 'foreign_target',
    what: `This token is not for target ${JSON.stringify((target ?? '').slice(0, 100))}.`,
    todo: 'Use one of the targets that it names, or ask an operator for a token that names this one.',
  };
}
